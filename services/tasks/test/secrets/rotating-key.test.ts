import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
import { compileCache } from '@berth/testing/compile-cache';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts';
import { openContents, sealContents } from '../../src/secrets/sealed-contents.ts';
import { createSecretKeys } from '../../src/secrets/secret-keys.ts';
import { inTransactionOf, readingStore } from '../../src/store/store.ts';
import { envId, startTasksInTest, type TasksInTest, testKey } from '../support/tasks-in-test.ts';

const { envAdmin } = sampleIdentities;
const { create, update } = secrets.operations;
const run = promisify(execFile);
const main = fileURLToPath(new URL('../../src/admin-main.ts', import.meta.url));

const newKey = randomBytes(32).toString('base64');
const bytes = (key: string) => Buffer.from(key, 'base64');
const oldKeys = createSecretKeys(bytes(testKey), [bytes(newKey)]);
const keys = createSecretKeys(bytes(newKey), [bytes(testKey)]);

/** The service seals under the old key and knows the new one, as during a rotation. */
let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest({ OTHER_KEY_ENCRYPTION_KEYS: newKey });
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

beforeEach(async () => {
  await tasks.database.db.query(statement`delete from secrets`);
});

const insert = (count: number) =>
  inTransactionOf(tasks.database.db)(async ({ secretChanges }) => {
    for (let n = 0; n < count; n += 1) {
      const row = { id: randomUUID(), env_id: envId };
      const name = { collection: 'many', name: `s${n}` };
      await secretChanges.insert({ ...row, ...name, ...sealContents(oldKeys, row, `contents of s${n}`) });
    }
  });
async function stored() {
  const { db } = tasks.database;
  const ids = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from secrets`);
  return readingStore(db).secrets.sealed(envId, ids);
}
const rotate = () =>
  run(process.execPath, [main, 'seal-again'], {
    env: {
      ...compileCache(),
      DATABASE_URL: tasks.database.url,
      KEY_ENCRYPTION_KEY: newKey,
      OTHER_KEY_ENCRYPTION_KEYS: testKey,
    },
    timeout: 60_000,
  });
const deps = () => {
  const { db } = tasks.database;
  const log = { info: () => undefined, error: () => undefined };
  const { signal } = new AbortController();
  return { store: readingStore(db), inTransaction: inTransactionOf(db), secretKeys: keys, log, signal, batch: 10 };
};

test('seal-again seals every secret under the new key while others are being written, and exits with 0', async () => {
  await insert(250);
  const written = new Map<string, string>();
  const body = { env_id: envId, collection: 'written', contents: 'first' };
  const { id } = await tasks.call(envAdmin, create, { body: { ...body, name: 'changed' } });

  const rotated = rotate();
  for (let n = 0; n < 40; n += 1) {
    await tasks.call(envAdmin, update, { id, body: { contents: `version ${n}` } });
    const made = await tasks.call(envAdmin, create, { body: { ...body, name: `n${n}`, contents: `made ${n}` } });
    written.set(made.id, `made ${n}`);
  }
  written.set(id, 'version 39');
  // Secrets that are sealed under the old key after a run are left to the next run.
  await rotated.catch(() => undefined);
  const { stdout } = await rotate();

  expect(stdout).toContain('all secrets are sealed under the current key');
  const rows = await stored();
  expect(rows).toHaveLength(250 + 41);
  expect(new Set(rows.map(({ key_id }) => key_id))).toEqual(new Set([keys.current.id]));
  const withoutOld = createSecretKeys(bytes(newKey), []);
  for (const row of rows) expect(openContents(withoutOld, row)).toBe(written.get(row.id) ?? `contents of ${row.name}`);
});

test('an interrupted rotation is continued by the next one, and several can share the work', async () => {
  await insert(45);
  const before = new Map((await stored()).map((row) => [row.id, row]));
  let batches = 0;
  const inTransaction: ReturnType<typeof deps>['inTransaction'] = (work) => {
    batches += 1;
    return batches > 2 ? Promise.reject(new Error('killed')) : deps().inTransaction(work);
  };
  await expect(resealSecrets({ ...deps(), inTransaction })).rejects.toThrow('killed');
  expect((await stored()).filter(({ key_id }) => key_id === keys.current.id)).toHaveLength(20);

  const results = await Promise.all([resealSecrets(deps()), resealSecrets(deps())]);

  expect(results.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(25);
  expect(results).toMatchObject([{ otherKeys: [] }, { otherKeys: [] }]);
  for (const row of await stored()) {
    expect(openContents(keys, row)).toBe(`contents of ${row.name}`);
    // Nothing visible changes, neither the ETag nor the time that charts put into their values.
    expect(row.updated_at).toBe(before.get(row.id)?.updated_at);
  }
  expect(await resealSecrets(deps())).toEqual({ resealed: 0, broken: [], otherKeys: [] });
});

test('seal-again names a secret that cannot be opened, seals the others and exits with 1', async () => {
  await insert(3);
  const [broken] = await stored();
  await tasks.database.db.query(statement`
    update secrets set wrapped_key = set_byte(wrapped_key, 0, get_byte(wrapped_key, 0) # 1) where id = ${broken?.id ?? ''}
  `);

  const failure = await rotate().catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 1, stdout: expect.stringContaining(`"broken":["${broken?.id}"]`) });
  const left = (await stored()).filter(({ key_id }) => key_id !== keys.current.id);
  expect(left.map(({ id }) => id)).toEqual([broken?.id]);
});
