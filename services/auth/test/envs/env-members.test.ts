import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { etagOf } from '@berth/bus/rpc/etag';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somebot, somekind } from '../support/bots-and-deployments.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';
import { malformed, refusal } from '../support/refusal.ts';

let auth: AuthUnderTest;
let admin: Somebody;
let registryScan: Bus;
let kind_id: string;
let elsewhereBoss: Somebody;

beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
  registryScan = await auth.connect('registry-scan');
  kind_id = await somekind(auth, registryScan);
  elsewhereBoss = (await staffedEnv()).boss;
});
afterAll(() => auth[Symbol.asyncDispose]());

/** An env with an admin and a member. */
async function staffedEnv() {
  const { id: env_id } = await newEnv(auth.db);
  const boss = await somebody(auth, { roles: { [env_id]: 'Admin' } });
  const member = await somebody(auth, { roles: { [env_id]: 'User' } });
  const { items } = await boss.send(envUserPermissions.operations.list, { query: { env_id } });
  const roleOf = ({ id }: Somebody) => items.find(({ user_id }) => user_id === id)?.id ?? '';
  return { env_id, boss, member, roleOf };
}

describe('the users of an env', () => {
  const { list, create, get, update, delete: remove } = envUserPermissions.operations;

  test('are added, changed and removed by its admins', async () => {
    const { env_id, boss } = await staffedEnv();
    const { id: user_id } = await somebody(auth);

    const added = await boss.send(create, { body: { env_id, user_id, role: 'User' } });
    const promoted = await boss.send(update, { id: added.id, body: { role: 'Admin' } });
    const removed = await boss.send(remove, { id: added.id });

    expect(added).toEqual({ id: added.id, created_at: expect.any(String), env_id, user_id, role: 'User' });
    expect(promoted).toEqual({ ...added, role: 'Admin' });
    expect(removed).toBeNull();
    await expect(boss.send(get, { id: added.id })).rejects.toEqual(refusal('not_found', 'No such env user'));
  });

  test('get the rights of a new role with the next request', async () => {
    const { env_id, boss } = await staffedEnv();
    const grace = await somebody(auth);
    await expect(grace.send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 0 });

    const { id } = await boss.send(create, { body: { env_id, user_id: grace.id, role: 'User' } });
    await expect(grace.send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 3 });
    await boss.send(remove, { id });

    await expect(grace.send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 0 });
  });

  test('are visible to members and bots, which cannot change them', async () => {
    const { env_id, boss, member, roleOf } = await staffedEnv();
    const { id: user_id } = await somebody(auth);

    for (const { send } of [member, await somebot(auth)]) {
      await expect(send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 2 });
      await expect(send(get, { id: roleOf(boss) })).resolves.toMatchObject({ role: 'Admin' });
      await expect(send(create, { body: { env_id, user_id, role: 'User' } })).rejects.toEqual(
        refusal('forbidden', 'an admin of the env'),
      );
      await expect(send(update, { id: roleOf(member), body: { role: 'Admin' } })).rejects.toEqual(refusal('forbidden'));
      await expect(send(remove, { id: roleOf(boss) })).rejects.toEqual(refusal('forbidden'));
    }
  });

  test('are invisible to users of another env', async () => {
    const { env_id, boss, roleOf } = await staffedEnv();
    const elsewhere = await staffedEnv();
    const { send, id: user_id } = elsewhere.boss;
    const id = roleOf(boss);

    await expect(send(list, {})).resolves.toMatchObject({ num_total: 2 });
    await expect(send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 0, items: [] });
    await expect(send(get, { id })).rejects.toEqual(refusal('not_found', 'No such env user'));
    await expect(send(update, { id, body: { role: 'User' } })).rejects.toEqual(
      refusal('not_found', 'No such env user'),
    );
    await expect(send(remove, { id })).rejects.toEqual(refusal('not_found', 'No such env user'));
    for (const env of [env_id, randomUUID()]) {
      await expect(send(create, { body: { env_id: env, user_id, role: 'Admin' } })).rejects.toEqual(
        refusal('unprocessable', 'body.env_id: no such env', 'body.env_id'),
      );
    }
  });

  test('are found by user, in the envs that the caller sees', async () => {
    const { boss, member, roleOf } = await staffedEnv();
    const elsewhere = await staffedEnv();
    const body = { env_id: elsewhere.env_id, user_id: member.id, role: 'Admin' } as const;
    const { id } = await elsewhere.boss.send(create, { body });
    const rolesOf = async (caller: Somebody, query: object) =>
      (await caller.send(list, { query: { user_id: member.id, ...query } })).items.map((role) => role.id);

    expect(await rolesOf(member, {})).toEqual([id, roleOf(member)]);
    expect(await rolesOf(admin, {})).toEqual([id, roleOf(member)]);
    expect(await rolesOf(member, { env_id: elsewhere.env_id })).toEqual([id]);
    expect(await rolesOf(boss, {})).toEqual([roleOf(member)]);
    expect(await rolesOf(boss, { env_id: elsewhere.env_id })).toEqual([]);
    expect(await rolesOf(boss, { user_id: randomUUID() })).toEqual([]);
    await expect(rolesOf(boss, malformed({ user_id: 'me' }))).rejects.toEqual(refusal('invalid', '', 'query.user_id'));
  });

  test('have one role each, and must exist', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const body = { env_id, user_id: member.id, role: 'Admin' } as const;

    await expect(boss.send(create, { body })).rejects.toEqual(refusal('conflict', 'already has a role'));
    await expect(boss.send(create, { body: { ...body, user_id: randomUUID() } })).rejects.toEqual(
      refusal('unprocessable', 'no such user', 'body.user_id'),
    );
    await expect(boss.send(create, { body: malformed({ ...body, role: 'Owner' }) })).rejects.toEqual(
      refusal('invalid', '', 'body.role'),
    );
    await expect(boss.send(update, { id: randomUUID(), body: {} })).rejects.toEqual(refusal('not_found'));
  });

  test('cannot change their own role as env admins, unless they are site admins', async () => {
    const { env_id, boss, roleOf } = await staffedEnv();
    const own = refusal('conflict', 'their own role');
    const { id } = await admin.send(create, { body: { env_id, user_id: admin.id, role: 'Admin' } });

    await expect(boss.send(update, { id: roleOf(boss), body: { role: 'User' } })).rejects.toEqual(own);
    await expect(boss.send(remove, { id: roleOf(boss) })).rejects.toEqual(own);
    await expect(boss.send(update, { id: roleOf(boss), body: { role: 'Admin' } })).resolves.toMatchObject({
      role: 'Admin',
    });
    await expect(admin.send(update, { id, body: { role: 'User' } })).resolves.toMatchObject({ role: 'User' });
    await expect(admin.send(remove, { id })).resolves.toBeNull();
  });

  test('are refused a change with a stale If-Match', async () => {
    const { boss, member, roleOf } = await staffedEnv();
    const id = roleOf(member);

    await expect(boss.send(update, { id, body: { role: 'Admin' } }, { ifMatch: '"other"' })).rejects.toEqual(
      refusal('stale'),
    );
    await expect(boss.send(remove, { id }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
  });
});

describe('deployment permissions', () => {
  const { list, create, get, delete: remove } = deploymentPermissions.operations;

  test('are deleted only with the ETag of their row', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const { id } = await boss.send(create, { body: { env_id, user_id: member.id, kind_id, role: 'Owner' } });
    const ifMatch = etagOf(deploymentPermissions, await boss.send(get, { id })) ?? '';

    await expect(boss.send(remove, { id }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
    await expect(boss.send(remove, { id }, { ifMatch })).resolves.toBeNull();
  });

  test('are created and deleted by the admins of the env', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const body = { env_id, user_id: member.id, kind_id, role: 'Owner' } as const;

    const given = await boss.send(create, { body });
    const listed = await member.send(list, { query: { env_id } });
    const taken = await boss.send(remove, { id: given.id });

    expect(given).toEqual({ id: given.id, created_at: expect.any(String), ...body });
    expect(listed.items).toEqual([given]);
    expect(taken).toBeNull();
    await expect(boss.send(get, { id: given.id })).rejects.toEqual(
      refusal('not_found', 'No such deployment permission'),
    );
  });

  test('are found by user, in the envs that the caller sees', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const given = await boss.send(create, { body: { env_id, user_id: member.id, kind_id, role: 'Owner' } });
    await boss.send(create, { body: { env_id, user_id: boss.id, kind_id, role: 'Owner' } });
    const of = async (caller: Somebody, user_id: string) => (await caller.send(list, { query: { user_id } })).items;

    for (const caller of [member, boss, admin]) expect(await of(caller, member.id)).toEqual([given]);
    expect(await of(elsewhereBoss, member.id)).toEqual([]);
    await expect(of(member, 'me')).rejects.toEqual(refusal('invalid', '', 'query.user_id'));
  });

  test('are not created twice, nor for missing users, envs or kinds', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const body = { env_id, user_id: member.id, kind_id, role: 'Owner' } as const;
    await boss.send(create, { body });
    const refused = (change: object, expected: unknown) =>
      expect(boss.send(create, { body: malformed({ ...body, ...change }) })).rejects.toEqual(expected);

    await refused({ role: 'Maintainer' }, refusal('conflict', 'already has a role'));
    await refused({ user_id: randomUUID() }, refusal('unprocessable', 'no such user', 'body.user_id'));
    await refused({ kind_id: randomUUID() }, refusal('unprocessable', 'no such deployment kind', 'body.kind_id'));
    await refused({ env_id: randomUUID() }, refusal('unprocessable', 'no such env', 'body.env_id'));
    await refused({ role: 'Admin' }, refusal('invalid', '', 'body.role'));
  });

  test('are for members of the env only, even if a site admin creates them', async () => {
    const { env_id, boss } = await staffedEnv();
    const body = (user_id: string) => ({ env_id, user_id, kind_id, role: 'Maintainer' }) as const;
    const grace = await somebody(auth);
    const notMember = refusal('unprocessable', 'body.user_id: is not a member of the env', 'body.user_id');

    for (const { id } of [grace, admin, elsewhereBoss]) {
      await expect(boss.send(create, { body: body(id) })).rejects.toEqual(notMember);
    }
    await expect(admin.send(create, { body: body(grace.id) })).rejects.toEqual(notMember);
    await boss.send(envUserPermissions.operations.create, { body: { env_id, user_id: grace.id, role: 'User' } });

    await expect(boss.send(create, { body: body(grace.id) })).resolves.toMatchObject(body(grace.id));
  });

  test('are deleted with the membership, each with an audit line and published state', async () => {
    const { env_id, boss, member, roleOf } = await staffedEnv();
    const elsewhere = await staffedEnv();
    const membership = { env_id: elsewhere.env_id, user_id: member.id, role: 'User' } as const;
    await elsewhere.boss.send(envUserPermissions.operations.create, { body: membership });
    const given = await boss.send(create, { body: { env_id, user_id: member.id, kind_id, role: 'Owner' } });
    const kept = await elsewhere.boss.send(create, {
      body: { env_id: elsewhere.env_id, user_id: member.id, kind_id, role: 'Owner' },
    });

    await boss.send(envUserPermissions.operations.delete, { id: roleOf(member) });

    await expect(boss.send(get, { id: given.id })).rejects.toEqual(refusal('not_found'));
    await expect(elsewhere.boss.send(get, { id: kept.id })).resolves.toEqual(kept);
    const left = await auth.db.any(sql.type(z.object({ action: z.string(), operation: z.string() }))`
      select a.action, o.operation from audit_log a join outbox o on o.id = a.object_id
      where a.object_id = ${given.id} and a.actor_id = ${boss.id} and a.result = 'done' order by a.id
    `);
    expect(left.map(({ action }) => action)).toEqual(['create', 'delete']);
    expect(left[0]).toMatchObject({ operation: 'DELETE' });
    await boss.send(envUserPermissions.operations.create, { body: { env_id, user_id: member.id, role: 'User' } });
    await expect(boss.send(list, { query: { env_id } })).resolves.toMatchObject({ num_total: 0 });
  });

  test('cannot be created by members, bots or users of other envs', async () => {
    const { env_id, boss, member } = await staffedEnv();
    const elsewhere = await staffedEnv();
    const body = { env_id, user_id: member.id, kind_id, role: 'Owner' } as const;
    const { id } = await boss.send(create, { body });

    for (const { send } of [member, await somebot(auth)]) {
      await expect(send(create, { body })).rejects.toEqual(refusal('forbidden', 'an admin of the env'));
      await expect(send(get, { id })).resolves.toMatchObject(body);
      await expect(send(remove, { id })).rejects.toEqual(refusal('forbidden'));
    }
    const stranger = elsewhere.boss;
    await expect(stranger.send(create, { body })).rejects.toEqual(
      refusal('unprocessable', 'no such env', 'body.env_id'),
    );
    await expect(stranger.send(get, { id })).rejects.toEqual(refusal('not_found'));
    await expect(stranger.send(remove, { id })).rejects.toEqual(refusal('not_found'));
    await expect(stranger.send(list, {})).resolves.toMatchObject({ num_total: 0, items: [] });
  });
});
