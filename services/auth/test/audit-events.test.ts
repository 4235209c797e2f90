import { randomUUID } from 'node:crypto';
import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import { type AuditEvent, auditEvents, type AuditQuery } from '@berth/shared/contracts/resources/audit-events';
import { envs } from '@berth/shared/contracts/resources/envs';
import { userTokens } from '@berth/shared/contracts/resources/user-tokens';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { type OtherAudits, serveOtherAudits } from './support/other-audits.ts';
import { newEnv, type Somebody, somebody } from './support/people.ts';

type Gateway = Awaited<ReturnType<typeof startGatewayProcess>>;

const servers = new AsyncDisposableStack();
let auth: AuthUnderTest;
let gateway: Gateway;
let admin: Somebody;
let others: OtherAudits;
beforeAll(async () => {
  auth = servers.use(await startAuth());
  gateway = servers.use(await startGatewayProcess(auth.nats));
  admin = await somebody(auth, { is_admin: true });
  others = await serveOtherAudits(auth);
});
afterAll(() => servers.disposeAsync());

const { list, get } = auditEvents.operations;
const listed = (query: AuditQuery, by: Somebody = admin) =>
  gateway.as({ jwt: by.jwt })(list, { query }) as Promise<{ items: AuditEvent[]; next: string | null }>;
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

  test('shows refused attempts once, with how often they were made', async () => {
    const env = await newEnv(auth.db);
    const member = await somebody(auth, { roles: { [env.id]: 'User' } });
    const attempt = () => member.send(envs.operations.update, { id: env.id, body: { auto_add_new_users: true } });
    for (let n = 0; n < 5; n += 1) await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });

    await vi.waitFor(async () => expect(await ofEnv(env.id, admin, { result: 'denied' })).not.toEqual([]), 10_000);

    const events = await ofEnv(env.id, admin, { result: 'denied' });
    expect(events[0]).toMatchObject({
      actor: { kind: 'user', id: member.id },
      operation: 'update',
      object: { resource: 'envs', id: env.id },
      before: null,
    });
    expect(events.length).toBeLessThan(5);
  });

  test('is for site admins and env admins; those see their envs only', async () => {
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

  test('is one list of what all services keep, page by page with nothing left out or repeated', async () => {
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

  test('refuses a `before` that is none', async () => {
    await expect(listed({ before: 'x' })).rejects.toMatchObject({
      problem: { code: 'invalid', errors: [{ path: 'query.before' }] },
    });
  });
});
