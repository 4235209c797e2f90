import { randomUUID } from 'node:crypto';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import type { EnvRole } from '@berth/contracts/access/identity';
import {
  AuditEvent,
  auditEvents,
  type AuditPage,
  type AuditQuery,
} from '@berth/contracts/resources/audit/audit-events';
import { envs } from '@berth/contracts/resources/envs/envs';
import { me } from '@berth/contracts/resources/accounts/me';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { recordAudits } from '@berth/db/audit/audit-log';
import type { Database } from '@berth/db/database';
import { encodeCursor } from '@berth/db/lists/list-cursor';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AuthUnderTest, migrations, startAuth } from '../support/auth-under-test.ts';
import { somebot } from '../support/bots-and-deployments.ts';
import { type OtherAudits, serveOtherAudits } from '../support/other-audits.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';

type Gateway = Awaited<ReturnType<typeof startGatewayProcess>>;
type Credential = Parameters<Gateway['as']>[0];
type TextStream = { lines(): AsyncGenerator<string> };

const servers = new AsyncDisposableStack();
let auth: AuthUnderTest;
let gateway: Gateway;
let admin: Somebody;
let others: OtherAudits;
/** The database of another service that stores events. */
let elsewhere: Database;
beforeAll(async () => {
  auth = servers.use(await startAuth());
  gateway = servers.use(await startGatewayProcess(auth.nats));
  admin = await somebody(auth, { is_admin: true });
  elsewhere = servers.use(await openTestDatabase({ service: 'auth', migrations })).db;
  others = await serveOtherAudits(auth, { registryScan: elsewhere });
});
afterAll(() => servers.disposeAsync());

const { list, get, export: exported } = auditEvents.operations;
const listed = (query: AuditQuery, by: Somebody = admin) =>
  gateway.as({ jwt: by.jwt })(list, { query }) as Promise<{ items: AuditEvent[]; next: string | null }>;
const as = (credential: Credential) => {
  const call = gateway.as(credential);
  return {
    list: async (query: AuditQuery) => (await call(list, { query })) as AuditPage,
    get: (id: string) => call(get, { id }),
    export: async (query: AuditQuery) => linesOf((await call(exported, { query })) as TextStream),
  };
};
async function linesOf(stream: TextStream): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  for await (const line of stream.lines()) events.push(AuditEvent.parse(JSON.parse(line)));
  return events;
}
const ofEnv = async (env_id: string, by: Somebody = admin, query: AuditQuery = {}) =>
  (await listed({ env_id, ...query }, by)).items;

describe('the audit log', () => {
  test('shows a change with its actor, its token, and the values before and after', async () => {
    const name = `env ${randomUUID()}`;
    const created = await admin.send(userTokens.operations.create, { body: { user_id: admin.id, name: 'a token' } });
    const [token] = (await admin.send(userTokens.operations.list, { query: { user_id: admin.id } })).items;
    const env = await auth.as({ token: created.created_token })(envs.operations.create, {
      body: { name, auto_add_new_users: false },
    });
    await admin.send(envs.operations.update, { id: env.id, body: { name: `${name}!` } });

    const [update, creation] = await ofEnv(env.id);

    expect(creation).toMatchObject({
      service: 'auth',
      actor: { kind: 'user', id: admin.id, token_id: token?.id },
      operation: 'create',
      object: { resource: 'envs', id: env.id },
      result: 'done',
      times: 1,
      after: { name },
    });
    expect(update).toMatchObject({
      actor: { token_id: null },
      before: { name },
      after: { name: `${name}!` },
      request_id: expect.any(String),
    });
    expect(await gateway.as({ jwt: admin.jwt })(get, { id: update?.id ?? '' })).toEqual(update);
    expect(JSON.stringify([update, creation])).not.toContain(created.created_token);
  });

  test('shows repeated refused attempts once, with their number', async () => {
    const env = await newEnv(auth.db);
    const member = await somebody(auth, { roles: { [env.id]: 'User' } });
    const attempt = () => member.send(envs.operations.update, { id: env.id, body: { auto_add_new_users: true } });
    for (let n = 0; n < 5; n += 1) await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });

    await vi.waitFor(async () => expect(await ofEnv(env.id, admin, { result: 'denied' })).not.toEqual([]));

    const events = await ofEnv(env.id, admin, { result: 'denied' });
    expect(events[0]).toMatchObject({
      actor: { kind: 'user', id: member.id },
      operation: 'update',
      object: { resource: 'envs', id: env.id },
      before: null,
    });
    expect(events.length).toBeLessThan(5);
  });

  test('is for site admins, and for env admins, who see only their envs', async () => {
    const [own, other] = [await newEnv(auth.db), await newEnv(auth.db)];
    const envAdmin = await somebody(auth, { roles: { [own.id]: 'Admin', [other.id]: 'User' } });
    const member = await somebody(auth, { roles: { [own.id]: 'User' } });
    for (const env of [own, other]) {
      await admin.send(envs.operations.update, { id: env.id, body: { auto_add_new_users: false, name: randomUUID() } });
    }
    const [ofOther] = await ofEnv(other.id);

    expect(await ofEnv(own.id, envAdmin)).toHaveLength(1);
    expect(await ofEnv(other.id, envAdmin)).toEqual([]);
    expect((await listed({}, envAdmin)).items.every(({ env_id }) => env_id === own.id)).toBe(true);
    expect(others.visible).toEqual([own.id]);
    const hidden = gateway.as({ jwt: envAdmin.jwt })(get, { id: ofOther?.id ?? '' });
    await expect(hidden).rejects.toMatchObject({ problem: { code: 'not_found' } });
    await expect(listed({}, member)).rejects.toMatchObject({ problem: { code: 'forbidden' } });
  });

  test('is one list of the events of all services, and its pages neither skip nor repeat an event', async () => {
    const env = await newEnv(auth.db);
    for (let n = 0; n < 4; n += 1)
      await admin.send(envs.operations.update, { id: env.id, body: { name: randomUUID() } });
    const own = await ofEnv(env.id);
    const before = new Date(Date.parse(own[1]?.at ?? '') - 1).toISOString();
    others.kept = [{ ...(own[0] as AuditEvent), id: randomUUID(), service: 'tasks', at: before }];

    const walked: AuditEvent[] = [];
    let next: string | null = '';
    while (next !== null && walked.length < 20) {
      const page: Awaited<ReturnType<typeof listed>> = await listed({
        env_id: env.id,
        per_page: 5,
        ...(next && { before: next }),
      });
      walked.push(...page.items);
      ({ next } = page);
    }
    const [theirs] = others.kept;
    expect(await gateway.as({ jwt: admin.jwt })(get, { id: theirs?.id ?? '' })).toEqual(theirs);
    others.kept = [];

    expect(new Set(walked.map(({ id }) => id))).toEqual(new Set([...own, theirs].map((event) => event?.id)));
    expect(walked.map(({ at }) => at)).toEqual(
      walked
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });

  test('refuses a `before` that is not a cursor', async () => {
    await expect(listed({ before: 'x' })).rejects.toMatchObject({
      problem: { code: 'invalid', errors: [{ path: 'query.before' }] },
    });
  });

  test.for(['Infinity', '-Infinity', '9223372036854775807', '-210866803200000000'])(
    'accepts a `before` at the end of time: %s',
    async (micros) => {
      const before = encodeCursor({ micros, id: randomUUID() });

      const { items } = await listed({ before, per_page: 1 });

      expect(items).toHaveLength(micros.startsWith('-') ? 0 : 1);
    },
  );

  test('shows all events to site admins, those of an env to its admins, and none to others', async () => {
    const envIds = [await newEnv(auth.db), await newEnv(auth.db), await newEnv(auth.db)].map(({ id }) => id);
    const object_id = randomUUID();
    const by = { identity: undefined, requestId: null };
    const entry = { by, action: 'update', resource: 'boats', objectId: object_id, details: {} };
    const entries = [null, ...envIds].map((envId) => ({ ...entry, envId }));
    for (const db of [auth.db, elsewhere]) await recordAudits(db, entries);
    const all = await as({ jwt: admin.jwt }).list({ object_id });
    expect(all.items).toHaveLength(8);

    const roles: (EnvRole | undefined)[] = [undefined, 'User', 'Admin'];
    const held = roles.flatMap((first) => roles.map((second) => [first, second] as const));
    const people = [true, false].flatMap((is_admin) => held.map(([first, second]) => ({ is_admin, first, second })));
    const wrong: string[] = [];
    for (const { is_admin, first, second } of people) {
      const own = Object.entries({ [envIds[0] ?? '']: first, [envIds[1] ?? '']: second });
      const person = await somebody(auth, {
        is_admin,
        roles: Object.fromEntries(own.flatMap(([env, role]) => (role ? [[env, role]] : []))),
      });
      // The rule, written again without the code under test.
      const visible = all.items.filter(
        ({ env_id }) => is_admin || own.some(([env, role]) => env === env_id && role === 'Admin'),
      );
      const reads = await shownTo({ jwt: person.jwt });
      const ids = visible.map(({ id }) => id).join();
      const expected = is_admin || first === 'Admin' || second === 'Admin' ? [ids, ids, ids] : 'forbidden';
      if (JSON.stringify(reads) !== JSON.stringify(expected))
        wrong.push(`${is_admin} ${first} ${second}: ${JSON.stringify(reads)}`);
    }

    expect(wrong).toEqual([]);
    expect(await shownTo({ token: (await somebot(auth)).token })).toBe('forbidden');

    /** The ids in the list and in the export, and of the events that can be read by id. */
    async function shownTo(credential: Credential): Promise<string[] | string> {
      const reader = as(credential);
      const answers = await Promise.allSettled([
        reader.list({ object_id }).then(({ items }) => items),
        reader.export({ object_id }),
        ...all.items.map(({ id }) => reader.get(id) as Promise<AuditEvent>),
      ]);
      const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.problem.code] : []));
      if (codes.every((code) => code === 'forbidden') && codes.length === answers.length) return 'forbidden';
      const [listed, exportedEvents, ...read] = answers.map((answer) =>
        answer.status === 'fulfilled' ? [answer.value].flat().map(({ id }) => id) : [],
      );
      return [listed, exportedEvents, read.flat()].map((ids = []) => ids.join());
    }
  });

  test('is exported with all its pages, in the order of the list', async () => {
    const object_id = randomUUID();
    const by = { identity: undefined, requestId: null };
    const entries = Array.from({ length: 130 }, (_, n) => ({
      by,
      action: `step ${n}`,
      resource: 'boats',
      objectId: object_id,
      envId: null,
      details: { text: 'ä "quoted"\n' },
    }));
    for (const db of [auth.db, elsewhere, auth.db]) await recordAudits(db, entries);
    const { list: read, export: exportAll } = as({ jwt: admin.jwt });
    const walked: AuditEvent[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: AuditPage = await read({ object_id, per_page: 70, ...(next && { before: next }) });
      walked.push(...page.items);
      ({ next } = page);
    }

    expect(walked).toHaveLength(390);
    expect(await exportAll({ object_id })).toEqual(walked);
    expect(await exportAll({ object_id, operation: 'step 7' })).toHaveLength(3);
    await expect(exportAll({ object_id: 'x' })).rejects.toMatchObject({ problem: { code: 'invalid' } });
  });

  test('shows the kind and origin of each refused credential, but not the credential', async () => {
    const eve = await somebody(auth);
    const { created_token: token } = await eve.send(userTokens.operations.create, { body: { user_id: null } });
    const [own] = (await eve.send(userTokens.operations.list, {})).items;
    await eve.send(userTokens.operations.delete, { id: own?.id ?? '' });
    const guess = `${token.slice(0, -4)}AAAA`;
    for (const credential of [{ token }, { token: guess }, { token: guess }, { jwt: 'x.y.z' }]) {
      await expect(gateway.as(credential)(me.operations.get, {})).rejects.toMatchObject({ problem: { status: 401 } });
    }

    const refused = async () => (await listed({ resource: 'identities', result: 'denied' })).items;
    await vi.waitFor(async () => expect((await refused()).length).toBeGreaterThanOrEqual(3));

    const events = await refused();
    expect(events.map(({ details }) => details)).toEqual(
      expect.arrayContaining([
        { code: 'token_revoked', credential: 'token', address: '127.0.0.1', token_id: own?.id },
        { code: 'unauthenticated', credential: 'token', address: '127.0.0.1', guessed_token_id: own?.id },
        { code: 'unauthenticated', credential: 'jwt', address: '127.0.0.1' },
      ]),
    );
    expect(events.every(({ actor, env_id }) => actor === null && env_id === null)).toBe(true);
    for (const secret of [token, guess]) expect(JSON.stringify(events)).not.toContain(secret.split('.')[1]);
  });
});
