import { randomUUID } from 'node:crypto';
import { maxRolesOfUser } from '@berth/contracts/access/packed-identity';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { me } from '@berth/contracts/resources/accounts/me';
import { users } from '@berth/contracts/resources/accounts/users';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somekind } from '../support/bots-and-deployments.ts';
import { newEnv, newUser, type Somebody, somebody } from '../support/people.ts';
import { refusal } from '../support/refusal.ts';
import { inStore } from '../support/in-store.ts';

let auth: AuthUnderTest;
let admin: Somebody;
let grace: Somebody;
let ids: { env_id: string; user_id: string };

beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
  grace = await somebody(auth);
  await auth.db.query(statement`
    insert into envs (name, auto_add_new_users) select 'env ' || n, true from generate_series(1, ${maxRolesOfUser}) n
  `);
  await auth.db.query(statement`
    insert into env_user_permissions (env_id, user_id, role)
    select id, ${grace.id}, case when random() < 0.5 then 'Admin' else 'User' end from envs
  `);
  await auth.db.query(statement`
    insert into deployment_permissions (env_id, user_id, kind_id, role)
    select id, ${grace.id}, gen_random_uuid(), 'Maintainer' from envs
  `);
  const env = await newEnv(auth.db);
  ids = { env_id: env.id, user_id: grace.id };
});
afterAll(() => auth[Symbol.asyncDispose]());

test('a user with 5,000 roles of each sort, each for a different kind, can work', async () => {
  expect(await grace.send(me.operations.get, {})).toMatchObject({ User: { id: grace.id } });
  expect(await grace.send(envs.operations.list, {})).toMatchObject({ num_total: maxRolesOfUser });
  expect(await grace.send(users.operations.list, {})).toMatchObject({ num_total: 2 });
});

test('a user with 5,000 roles gets no more', async () => {
  const member = { ...ids, role: 'User' } as const;
  const most = '5,000 env roles, which is the maximum';
  await expect(admin.send(envUserPermissions.operations.create, { body: member })).rejects.toEqual(
    refusal('conflict', most),
  );

  await inStore(auth.db, ({ envMembers }) => envMembers.insert(member));
  const permission = {
    ...ids,
    kind_id: await somekind(auth, await auth.connect('registry-scan')),
    role: 'Owner',
  } as const;
  await expect(admin.send(deploymentPermissions.operations.create, { body: permission })).rejects.toEqual(
    refusal('conflict', '5,000 deployment permissions'),
  );
});

test('an env adds new users automatically unless 5,000 envs already do', async () => {
  const body = { name: `env ${randomUUID()}`, auto_add_new_users: true };
  const { create, update } = envs.operations;

  await expect(admin.send(create, { body })).rejects.toEqual(
    refusal('conflict', '5,000 envs already add new users automatically'),
  );
  const { id } = await admin.send(create, { body: { ...body, auto_add_new_users: false } });
  await expect(admin.send(update, { id, body: { auto_add_new_users: true } })).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('a new user becomes a member of 5,000 envs at once, and of no more', async () => {
  const { id } = await newUser(auth.db);
  await auth.db.query(statement`update envs set auto_add_new_users = true`);
  const number = sql.type(z.object({ n: z.number() }))`select count(*)::int as n from envs`;
  expect(await auth.db.oneFirst(number)).toBeGreaterThan(maxRolesOfUser);

  expect(await inStore(auth.db, ({ envMembers }) => envMembers.addToAutomaticEnvs(id))).toHaveLength(maxRolesOfUser);
});
