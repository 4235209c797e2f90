import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@berth/testing/compile-cache';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openKeyRing } from '../src/signing-keys/key-ring.ts';

const main = fileURLToPath(new URL('../src/admin-main.ts', import.meta.url));

/** A test database; the commands create another one on its server. */
let given: OpenTestDatabase;
beforeAll(async () => {
  given = await openTestDatabase({ service: 'auth', migrations: new URL('../migrations/', import.meta.url) });
});
afterAll(async () => {
  await drop();
  await given?.[Symbol.asyncDispose]();
});

const prefix = `admin_test_${process.pid}_${Date.now()}_`;
const database = `${prefix}db`;
const roles = ['auth', 'tasks', 'cluster_sync', 'registry_scan'] as const;

async function drop(): Promise<void> {
  await given.db.query(statement`drop database if exists ${sql.identifier([database])} with (force)`);
  for (const role of roles) await given.db.query(statement`drop role if exists ${sql.identifier([prefix + role])}`);
}

function urlOf(role: (typeof roles)[number]): string {
  const url = new URL(given.url);
  url.username = prefix + role;
  url.password = 'p@ss/word';
  url.pathname = `/${database}`;
  return url.href;
}

async function admin(command: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...command], {
    env: { ...compileCache(), WAIT_SECONDS: '60', ...environment },
    timeout: 90_000,
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, output: output + errors };
}

const setUp = () =>
  admin(['set-up-database'], {
    ADMIN_DATABASE_URL: given.url,
    ...Object.fromEntries(roles.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, urlOf(role)])),
  });

test('migrate waits for the role and the schema that set-up-database creates, and both commands can be repeated', async () => {
  const migrating = admin(['migrate'], { DATABASE_URL: urlOf('auth') });

  expect(await setUp()).toMatchObject({ code: 0 });

  expect(await migrating).toMatchObject({ code: 0 });
  expect(await setUp()).toMatchObject({ code: 0 });
  expect(await admin(['wait-for-database'], { DATABASE_URL: urlOf('tasks') })).toMatchObject({ code: 0 });
  const again = await admin(['migrate'], { DATABASE_URL: urlOf('auth') });
  expect(again.code).toBe(0);
  expect(again.output).not.toContain('migration applied');
}, 120_000);

test('wait-for-database exits with 1 if the role does not appear, and names the reason without the password', async () => {
  const url = new URL(given.url);
  url.username = `${prefix}nobody`;

  const { code, output } = await admin(['wait-for-database'], { DATABASE_URL: url.href, WAIT_SECONDS: '0' });

  expect(code).toBe(1);
  expect(output).toMatch(/password authentication failed|does not exist/);
  expect(output).not.toContain(url.password);
});

test('check reports unpublished rows, and replay marks all rows for publishing again', async () => {
  const environment = { DATABASE_URL: given.url };
  const id = crypto.randomUUID();
  const minutesAgo = (Date.now() - 300_000) * 1_000;
  expect(await admin(['check'], environment)).toMatchObject({ code: 0 });
  await given.db.query(statement`
    insert into outbox (resource, id, version, operation, row) values ('envs', ${id}, ${minutesAgo}, 'INSERT', '{}')
  `);

  const overdue = await admin(['check'], environment);
  await given.db.query(statement`update outbox set published_version = version`);
  const published = await admin(['check'], environment);
  const replayed = await admin(['replay'], environment);

  expect(overdue).toMatchObject({ code: 1, output: expect.stringContaining('"overdue_rows":1') });
  expect(published.code).toBe(0);
  expect(replayed.code).toBe(0);
  const marks = sql.type(z.object({ published_version: z.number() }));
  expect(await given.db.any(marks`select published_version from outbox where id = ${id}`)).toEqual([
    { published_version: 0 },
  ]);
});

test('seal-again moves signing keys to the new key, and a replica that knows both opens them before and after', async () => {
  const { db } = given;
  const [before, after] = [randomBytes(32), randomBytes(32)];
  const open = (keyEncryptionKey: Buffer, ...otherKeyEncryptionKeys: Buffer[]) =>
    openKeyRing({ db, keyEncryptionKey, otherKeyEncryptionKeys, maxKeyAgeDays: 90 });
  const { kid } = (await open(before)).signer();
  const environment = {
    DATABASE_URL: given.url,
    KEY_ENCRYPTION_KEY: after.toString('base64'),
    OTHER_KEY_ENCRYPTION_KEYS: before.toString('base64'),
  };
  expect((await open(after, before)).signer().kid).toBe(kid);

  expect(await admin(['seal-again'], environment)).toMatchObject({ code: 0 });

  expect((await open(after)).signer().kid).toBe(kid);
  expect((await open(before, after)).signer().kid).toBe(kid);
  await expect(open(before)).rejects.toThrow('KEY_ENCRYPTION_KEY: must be the key that sealed signing key');

  expect(await admin(['rotate-signing-key'], environment)).toMatchObject({ code: 0 });
  const ring = await open(after);
  expect(ring.published()).toHaveLength(2);
  // Every replica and service must know the new key before it signs.
  expect(ring.signer().kid).toBe(kid);
}, 120_000);

test('an unknown command lists the known ones and exits with 2', async () => {
  const { code, output } = await admin(['migrat']);

  expect(code).toBe(2);
  for (const command of ['set-up-database', 'wait-for-database', 'migrate', 'replay', 'check']) {
    expect(output).toContain(command);
  }
});
