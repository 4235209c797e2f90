import { randomUUID } from 'node:crypto';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { users } from '@berth/contracts/resources/accounts/users';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somebot } from '../support/bots-and-deployments.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';

const AuditRow = z.object({
  actor_kind: z.string().nullable(),
  actor_id: z.string().nullable(),
  action: z.string(),
  resource: z.string(),
  object_id: z.string().nullable(),
  env_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string(),
});

let auth: AuthUnderTest;
let admin: Somebody;
beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
});
afterAll(() => auth[Symbol.asyncDispose]());

const linesOf = (objectId: string) =>
  auth.db.any(sql.type(AuditRow)`
    select actor_kind, actor_id, action, resource, object_id, env_id, details, request_id
    from audit_log where object_id = ${objectId} and result = 'done' order by id
  `);

test('each change leaves one audit line with actor, action and row', async () => {
  const { id: env_id } = await newEnv(auth.db);
  const { id: user_id } = await somebody(auth);

  const { id } = await admin.send(envUserPermissions.operations.create, { body: { env_id, user_id, role: 'User' } });
  await admin.send(envUserPermissions.operations.update, { id, body: { role: 'Admin' } });
  await admin.send(envUserPermissions.operations.update, { id, body: { role: 'Admin' } });
  await admin.send(envUserPermissions.operations.delete, { id });

  const line = { actor_kind: 'user', actor_id: admin.id, resource: 'env_user_permissions', object_id: id, env_id };
  const lines = await linesOf(id);
  expect(lines).toMatchObject([
    { ...line, action: 'create', details: { role: [null, 'User'], user_id: [null, user_id] } },
    { ...line, action: 'update', details: { role: ['User', 'Admin'] } },
    { ...line, action: 'delete', details: { role: ['Admin', null] } },
  ]);
  expect(lines.every(({ request_id }) => /^[\w-]{36}$/.test(request_id))).toBe(true);
});

test('a refused change is not recorded as a change', async () => {
  const eve = await somebody(auth);
  const { id } = await newEnv(auth.db);

  await eve.send(envs.operations.update, { id, body: { name: 'mine' } }).catch(() => undefined);
  await admin.send(envs.operations.update, { id, body: { name: 'x' } }, { ifMatch: '"other"' }).catch(() => undefined);

  expect(await linesOf(id)).toEqual([]);
});

test('the audit log of auth is append-only', async () => {
  await admin.send(bots.operations.create, { body: { display_name: 'CI' } });

  await expect(auth.db.query(statement`update audit_log set action = 'x'`)).rejects.toThrow('append-only');
  await expect(auth.db.query(statement`delete from audit_log`)).rejects.toThrow('append-only');
  await expect(auth.db.query(statement`truncate audit_log`)).rejects.toThrow('append-only');
});

test('the audit log, published state and the log of the service contain neither secrets nor e-mails', async () => {
  const email = `canary-${randomUUID()}@example.test`;
  const grace = await somebody(auth, { email });
  const bot = await somebot(auth);

  const { created_token: own } = await grace.send(userTokens.operations.create, { body: { user_id: null } });
  const { created_token: bots } = await admin.send(botTokens.operations.create, { body: { bot_id: bot.id } });
  await admin.send(users.operations.update, { id: grace.id, body: { is_admin: true } });
  await auth.as({ token: own })(users.operations.list, {});
  await auth
    .as({ token: `${own.slice(0, -1)}x` })(users.operations.list, {})
    .catch(() => undefined);

  const written = await auth.db.oneFirst(sql.type(z.object({ everything: z.string() }))`
    select (select string_agg(o::text, ' ') from outbox o) || (select string_agg(a::text, ' ') from audit_log a) as everything
  `);
  const secrets = [own, bots].flatMap((token) => token.split('.').slice(1));
  for (const secret of [...secrets, grace.jwt, email, 'secret_hash', 'session_epoch']) {
    expect(written).not.toContain(secret);
    expect(auth.service.log()).not.toContain(secret);
  }
  const settings = ['KEY_ENCRYPTION_KEY', 'OIDC_CLIENT_SECRET', 'NATS_PASSWORD'];
  for (const name of settings) expect(auth.service.log()).not.toContain(auth.settings[name]);
});
