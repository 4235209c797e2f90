import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { etagOf } from '@berth/bus/rpc/etag';
import type { Identity } from '@berth/contracts/access/identity';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import { type NewSecret, type Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import { requestHash } from '@berth/db/idempotency/request-hash';
import { statement } from '@berth/db/statement';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, testKey, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, envAdmin, envUser, owner, maintainer, outsider, bot, deployment } = sampleIdentities;
const { list, get, create, update, delete: remove } = secrets.operations;

const newSecret = (fields: Partial<NewSecret> = {}): NewSecret => ({
  env_id: envId,
  collection: 'postgres',
  name: `s${randomUUID().slice(0, 8)}`,
  contents: 'swordfish',
  ...fields,
});
const made = (fields: Partial<NewSecret> = {}, as: Identity = envAdmin) =>
  tasks.call(as, create, { body: newSecret(fields) });
const readers: [string, Identity][] = [
  ['a site admin', siteAdmin],
  ['an env admin', envAdmin],
  ['an env user', envUser],
  ['a bot', bot],
  ['a deployment of the env', deployment],
];
const noWriters: [string, Identity][] = [
  ['an env user', envUser],
  ['an owner', owner],
  ['a maintainer', maintainer],
  ['a bot', bot],
  ['a deployment of the env', deployment],
];

describe('a secret', () => {
  test('is created, read, changed and deleted, and no answer contains its contents', async () => {
    const body = newSecret({ name: ' padded ', contents: ' kept as it is\n' });
    const created = await tasks.call(envAdmin, create, { body });
    expect(created).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: created.created_at,
      env_id: envId,
      collection: 'postgres',
      name: 'padded',
    });
    const { id } = created;
    expect(await tasks.call(envUser, get, { id })).toEqual(created);
    expect((await tasks.call(envUser, list, { query: { name: 'PADDED' } })).items).toEqual([created]);

    const changed = await tasks.call(envAdmin, update, { id, body: { contents: 'another' } });
    expect(changed).toEqual({ ...created, updated_at: expect.any(String) });
    expect(changed.updated_at > created.updated_at).toBe(true);
    const renamed = await tasks.call(siteAdmin, update, { id, body: { name: 'renamed' } });
    expect(renamed).toEqual({ ...created, name: 'renamed', updated_at: expect.any(String) });

    expect(await tasks.call(envAdmin, remove, { id })).toBeNull();
    await expect(tasks.call(siteAdmin, get, { id })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.call(siteAdmin, remove, { id })).rejects.toEqual(refusal('not_found'));
  });

  test('may have empty contents', async () => {
    await expect(made({ contents: '' })).resolves.toMatchObject({ collection: 'postgres' });
  });

  test('has a unique name in its collection and env', async () => {
    const { name } = await made();
    const other = await made();
    const taken = refusal('conflict', `has a secret ${name} in postgres already`);

    await expect(made({ name })).rejects.toEqual(taken);
    await expect(tasks.call(envAdmin, update, { id: other.id, body: { name } })).rejects.toEqual(taken);
    await expect(made({ name, collection: 'redis' })).resolves.toMatchObject({ name });
    await expect(made({ name, env_id: otherEnvId }, siteAdmin)).resolves.toMatchObject({ name });
    await expect(made({ name: name.toUpperCase() })).resolves.toMatchObject({ name: name.toUpperCase() });
  });

  test('is listed by env, collection and name, in the requested order', async () => {
    const collection = `c${randomUUID()}`;
    const [b, a] = [await made({ collection, name: 'b' }), await made({ collection, name: 'a' })];
    await made({ collection, name: 'c', env_id: otherEnvId }, siteAdmin);
    const names = async (query: object, as: Identity = siteAdmin) => {
      const { items, num_total } = await tasks.call(as, list, { query: { collection, ...query } });
      return [num_total, ...items.map(({ name }) => name)];
    };

    expect(await names({ collection: collection.toUpperCase() })).toEqual([3, 'c', 'a', 'b']);
    expect(await names({ sort: 'name' })).toEqual([3, 'a', 'b', 'c']);
    expect(await names({ env_id: envId, per_page: 1, page: 2 })).toEqual([2, 'b']);
    expect(await names({}, envUser)).toEqual([2, 'a', 'b']);
    expect(await names({ env_id: otherEnvId }, envUser)).toEqual([0]);
    expect(await names({ name: 'A' })).toEqual([1, 'a']);
    await tasks.call(envAdmin, update, { id: b.id, body: { contents: 'newer' } });
    expect(await names({ env_id: envId, sort: '-updated_at' })).toEqual([2, b.name, a.name]);
  });
});

describe('secrets are refused', () => {
  test.for(noWriters)('if %s writes them', async ([, identity]) => {
    const { id } = await made();
    const forbidden = refusal('forbidden', 'an admin of the env');

    await expect(made({}, identity)).rejects.toEqual(forbidden);
    await expect(tasks.call(identity, update, { id, body: { contents: 'x' } })).rejects.toEqual(forbidden);
    await expect(tasks.call(identity, remove, { id })).rejects.toEqual(forbidden);
  });

  test.for(readers)('but are readable by %s', async ([, identity]) => {
    const secret = await made();

    expect(await tasks.call(identity, get, { id: secret.id })).toEqual(secret);
  });

  test('with not_found if the caller does not see their env', async () => {
    const { id } = await made();
    const missing = refusal('not_found', 'secret');

    for (const identity of [outsider, { ...deployment, env_id: otherEnvId }]) {
      expect((await tasks.call(identity, list, { query: { env_id: envId } })).items).toEqual([]);
      await expect(tasks.call(identity, get, { id })).rejects.toEqual(missing);
      await expect(tasks.call(identity, update, { id, body: { name: 'x' } })).rejects.toEqual(missing);
      await expect(tasks.call(identity, remove, { id })).rejects.toEqual(missing);
    }
  });

  test('without a credential', async () => {
    await expect(tasks.gateway.call(create, { body: newSecret() })).rejects.toEqual(refusal('unauthenticated'));
  });

  test.for<[string, Partial<Record<keyof NewSecret, unknown>>, string]>([
    ['without a collection', { collection: ' ' }, 'body.collection'],
    ['with a long name', { name: 'x'.repeat(101) }, 'body.name'],
    ['with contents that are not text', { contents: 1 }, 'body.contents'],
    ['with NUL in their contents', { contents: 'a\0b' }, 'body.contents'],
    ['with contents over 256 KiB', { contents: 'x'.repeat(256 * 1024 + 1) }, 'body.contents'],
  ])('%s', async ([, fields, path]) => {
    const body: NewSecret = Object.assign(newSecret(), fields);

    await expect(tasks.call(envAdmin, create, { body })).rejects.toEqual(refusal('invalid', '', path));
  });

  test('in an env that does not exist, is invisible, or was deleted', async () => {
    const noEnv = refusal('unprocessable', 'no such env', 'body.env_id');
    await expect(made({ env_id: randomUUID() }, siteAdmin)).rejects.toEqual(noEnv);
    await expect(made({ env_id: envId }, outsider)).rejects.toEqual(noEnv);

    const env = await tasks.publish.env({ id: randomUUID(), name: 'short-lived' });
    await made({ env_id: env.id }, siteAdmin);
    await tasks.publish.env(env, 'deleted');
    await expect(made({ env_id: env.id }, siteAdmin)).rejects.toEqual(noEnv);
  });

  test('while auth cannot confirm the env', async () => {
    tasks.answers.envs = false;
    await expect(made()).rejects.toEqual(refusal('unavailable', 'The env could not be confirmed'));
    tasks.answers.envs = true;
  });
});

test('an env whose projection is missing accepts secrets at once', async () => {
  const id = randomUUID();
  const publish = tasks.holdBack.env({ id, name: 'new' });

  await expect(made({ env_id: id }, siteAdmin)).resolves.toMatchObject({ env_id: id });
  await publish();
});

test('secrets that were stored while their env was being deleted are deleted with it', async () => {
  const env = await tasks.publish.env({ id: randomUUID(), name: 'going' });
  const { id } = await made({ env_id: env.id }, siteAdmin);
  const stays = await made();

  await tasks.publish.env(env, 'deleted');

  const isGone = () =>
    tasks.call(siteAdmin, get, { id }).then(
      () => false,
      () => true,
    );
  await until(isGone);
  expect(await actionsOn(id)).toEqual(['create', 'delete with the env']);
  expect(await tasks.call(siteAdmin, get, { id: stays.id })).toEqual(stays);
});

test('auth learns the secrets of an env and refuses to delete it', async () => {
  const env = await tasks.publish.env({ id: randomUUID(), name: 'full' });
  for (let n = 0; n < 12; n += 1)
    await made({ env_id: env.id, collection: 'c', name: `s${String(n).padStart(2, '0')}` }, siteAdmin);

  const used = await tasks.auth.call(deploymentUsage.operations.of_env, { body: { env_id: env.id } });

  expect(used.secrets).toEqual({ count: 12, names: Array.from({ length: 10 }, (_, n) => `c/s0${n}`) });
});

describe('a change of a secret', () => {
  const etag = (secret: Secret) => ({ ifMatch: etagOf(secrets, secret) ?? '' });

  test('is refused if the secret was changed since it was read', async () => {
    const before = await made();
    const after = await tasks.call(envAdmin, update, { id: before.id, body: { contents: 'b' } }, etag(before));
    const stale = refusal('stale');

    await expect(
      tasks.call(envAdmin, update, { id: before.id, body: { contents: 'c' } }, etag(before)),
    ).rejects.toEqual(stale);
    await expect(tasks.call(envAdmin, remove, { id: before.id }, etag(before))).rejects.toEqual(stale);
    await expect(tasks.call(envAdmin, remove, { id: before.id }, etag(after))).resolves.toBeNull();
  });

  test('always changes its ETag, even if the clock was set back', async () => {
    const { id } = await made();
    const ahead = sql.type(z.object({ at: z.string() }))`
      update secrets set updated_at = now() + interval '1 hour' where id = ${id} returning updated_at as at
    `;
    let before = await tasks.database.db.oneFirst(ahead);
    for (let n = 0; n < 5; n += 1) {
      const { updated_at } = await tasks.call(envAdmin, update, { id, body: { contents: `v${n}` } });
      expect(updated_at > before).toBe(true);
      before = updated_at;
    }
  });

  test('has no effect if the contents are the same', async () => {
    const before = await made({ contents: 'the same' });

    for (const body of [{}, { contents: 'the same' }, { name: before.name, contents: 'the same' }])
      expect(await tasks.call(envAdmin, update, { id: before.id, body })).toEqual(before);
    expect(await actionsOn(before.id)).toEqual(['create']);
  });

  test('leaves the contents of one of several simultaneous callers', async () => {
    const { id } = await made();
    const contents = Array.from({ length: 10 }, (_, n) => `v${n}`);

    await Promise.all(contents.map((text) => tasks.call(envAdmin, update, { id, body: { contents: text } })));

    const now = await tasks.call(siteAdmin, get, { id });
    const unchanged = await Promise.all(
      contents.map(async (text) => {
        const { updated_at } = await tasks.call(envAdmin, update, { id, body: { contents: text } });
        return updated_at === now.updated_at;
      }),
    );
    expect(unchanged.filter(Boolean).length).toBeLessThanOrEqual(1);
    expect(await actionsOn(id)).toHaveLength(11 + unchanged.filter((same) => !same).length);
  });
});

const actionsOn = (id: string) =>
  tasks.database.db.anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from audit_log where resource = 'secrets' and object_id = ${id} and result = 'done' order by id
  `);

test('a repeated creation makes one secret; with other contents its key is refused', async () => {
  const same = { idempotencyKey: randomUUID() };
  const body = newSecret();
  const send = () => tasks.call(envAdmin, create, { body }, same);

  const answers = await Promise.all(Array.from({ length: 5 }, send));

  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  await expect(tasks.call(envAdmin, create, { body: { ...body, contents: 'another' } }, same)).rejects.toEqual(
    refusal('unprocessable', 'was used with another request', 'headers.idempotency-key'),
  );
});

describe('a stored secret', () => {
  /** Every row of every table of the service, as text. */
  async function dump(): Promise<string> {
    const { db } = tasks.database;
    const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
      select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'
    `);
    expect(tables).toEqual(expect.arrayContaining(['secrets', 'outbox', 'audit_log', 'idempotency_keys']));
    const texts = tables.map((name) =>
      db.oneFirst(sql.type(z.object({ text: z.string() }))`
        select coalesce(string_agg(t::text, chr(10)), '') as text from ${sql.identifier([name])} t
      `),
    );
    return (await Promise.all(texts)).join('\n');
  }

  test('contains neither its contents nor a hash of them, and neither does the log', async () => {
    const canaries = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
    const [first = '', second = ''] = canaries;
    const key = { idempotencyKey: randomUUID() };
    const body = newSecret({ contents: first });
    const { id, name } = await tasks.call(envAdmin, create, { body }, key);
    await expect(made({ name, contents: second })).rejects.toEqual(refusal('conflict'));
    await expect(made({ name: '', contents: second })).rejects.toEqual(refusal('invalid'));
    await expect(made({ contents: second }, envUser)).rejects.toEqual(refusal('forbidden'));
    await tasks.call(envAdmin, update, { id, body: { contents: second } });

    const texts = [await dump(), tasks.process.log()];

    for (const canary of canaries) {
      const hex = (value: Buffer | string) => Buffer.from(value).toString('hex');
      const hashed = ['sha256', 'sha1', 'md5'].map((algorithm) => createHash(algorithm).update(canary).digest('hex'));
      for (const shape of [canary, hex(canary), Buffer.from(canary).toString('base64').slice(0, -3), ...hashed])
        for (const text of texts) expect(text.includes(shape)).toBe(false);
    }
    // The key that hashes repeated requests is in the same database.
    const { hash_key } = await tasks.database.db.one(
      sql.type(z.object({ hash_key: z.instanceof(Buffer) }))`select hash_key from idempotency_hash_key`,
    );
    const guess = requestHash(hash_key, { operation: 'secrets.create', request: { body } });
    expect(texts[0]).not.toContain(guess.toString('hex'));
    expect(texts[0]).toContain(name);
  });

  test('is audited with its fields but without its contents', async () => {
    const { id, name } = await made();
    await tasks.call(siteAdmin, update, { id, body: { name: `${name}-2`, contents: 'x' } });
    await tasks.call(envAdmin, remove, { id });

    const entries = await tasks.database.db.any(
      sql.type(z.object({ action: z.string(), actor_id: z.string(), details: z.unknown() }))`
        select action, actor_id, details from audit_log where object_id = ${id} and result = 'done' order by id
      `,
    );

    const time = expect.any(String);
    const fields = (name: string, at: (value: unknown) => unknown) => ({
      id: at(id),
      created_at: at(time),
      updated_at: at(time),
      env_id: at(envId),
      collection: at('postgres'),
      name: at(name),
    });
    expect(entries).toEqual([
      { action: 'create', actor_id: envAdmin.id, details: fields(name, (value) => [null, value]) },
      {
        action: 'update',
        actor_id: siteAdmin.id,
        details: { name: [name, `${name}-2`], updated_at: [time, time] },
      },
      { action: 'delete', actor_id: envAdmin.id, details: fields(`${name}-2`, (value) => [value, null]) },
    ]);
  });

  test('is published as an event without names', async () => {
    const { id } = await made();

    const { row } = await tasks.database.db.one(
      sql.type(z.object({ row: z.unknown() }))`select row from outbox where resource = 'secrets' and id = ${id}`,
    );

    expect(row).toEqual({ id });
  });
});

describe('a missing key', () => {
  test('stops the start with a sentence that says which, and the key among the others lets it start', async () => {
    await made();
    const other = randomBytes(32).toString('base64');

    await expect(tasks.replica({ KEY_ENCRYPTION_KEY: other })).rejects.toThrow(
      /KEY_ENCRYPTION_KEY: must be the key that sealed the stored secrets, or OTHER_KEY_ENCRYPTION_KEYS must list it/,
    );
    const knowing = await tasks.replica({ KEY_ENCRYPTION_KEY: other, OTHER_KEY_ENCRYPTION_KEYS: testKey });
    expect(await knowing.readiness()).toMatchObject({ ok: true });
    await knowing.kill('SIGTERM');
  });

  test('makes the service not ready, and nothing is stored until it is given', async () => {
    const [lost, other] = [await made(), await made()];
    const setKey = (key: string) =>
      tasks.database.db.query(statement`
        update secrets set key_id = case when ${key} = '' then (select key_id from secrets where id = ${other.id}) else ${key} end
        where id = ${lost.id}
      `);
    await setKey('feedfacefeedface');
    const unavailable = refusal('unavailable', 'Secrets cannot be stored now');

    expect(await tasks.process.readiness()).toMatchObject({ ok: false, checks: { 'keys of secrets': false } });
    await until(async () => tasks.process.log().includes('secrets are sealed under keys that this process lacks'));
    await expect(made()).rejects.toEqual(unavailable);
    for (const { id } of [lost, other])
      await expect(tasks.call(envAdmin, update, { id, body: { contents: 'x' } })).rejects.toEqual(unavailable);
    await expect(tasks.call(envUser, get, { id: lost.id })).resolves.toEqual(lost);
    await tasks.call(envAdmin, update, { id: other.id, body: { name: `${other.name}-2` } });

    await setKey('');
    expect(await tasks.process.readiness()).toMatchObject({ ok: true });
    await expect(made()).resolves.toMatchObject({ env_id: envId });
  });
});
