import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { implement } from '@berth/bus/rpc/implement';
import type { QueuedTasks } from '@berth/contracts/definition/queued-tasks';
import { AppError } from '@berth/contracts/errors';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { envImpact } from '@berth/contracts/resources/envs/env-impact';
import { type EnvChanges, envs } from '@berth/contracts/resources/envs/envs';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somebot, somedeployment, somekind } from '../support/bots-and-deployments.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';
import { malformed, refusal } from '../support/refusal.ts';
import { UsageOfEnvs } from '../support/usage-of-envs.ts';

const { list, create, get, impact, update, delete: remove } = envs.operations;

let auth: AuthUnderTest;
let tasks: Bus;
let clusterSync: Bus;
let admin: Somebody;
const usage = new UsageOfEnvs();

beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
  tasks = await auth.connect('tasks');
  clusterSync = await auth.connect('cluster-sync');
  usage.serve(clusterSync, tasks);
});
afterAll(() => auth[Symbol.asyncDispose]());

test('a site admin creates, changes and deletes an env', async () => {
  const name = `Prod ${randomUUID()}`;

  const made = await admin.send(create, { body: { name: ` ${name} ` } });
  const body = {
    node_selector: { zone: 'a' },
    tolerations: [{ key: 'gpu', operator: 'Exists' as const }],
    auto_add_new_users: true,
  };
  const changed = await admin.send(update, { id: made.id, body });
  const cleared = await admin.send(update, { id: made.id, body: { node_selector: null, tolerations: null } });
  const gone = await admin.send(remove, { id: made.id });

  expect(made).toEqual({
    id: made.id,
    created_at: expect.any(String),
    name,
    node_selector: null,
    tolerations: null,
    auto_add_new_users: false,
  });
  expect(changed).toEqual({ ...made, ...body });
  expect(cleared).toEqual({ ...made, auto_add_new_users: true });
  expect(gone).toBeNull();
  await expect(admin.send(get, { id: made.id })).rejects.toEqual(refusal('not_found', 'No such env'));
});

test('a changed placement names its reinstalls, also before their service answers or where it fails', async () => {
  const { id } = await newEnv(auth.db);
  const { identity_token } = await auth.gateway.call(identities.operations.authenticate, {
    body: { credential: { jwt: admin.jwt }, audience: 'auth' },
  });
  const change = async (body: EnvChanges) =>
    (await auth.gateway.callForBytes(update, { id, body }, { identityToken: identity_token })).queued;
  const answers: (() => Promise<QueuedTasks>)[] = [];
  const impacted = { page: 1, per_page: 50, items: [], num_total: 0 };

  expect(await change({ node_selector: { zone: 'a' } })).toBeNull();
  tasks.serve(
    implement(envImpact, {
      of: async ({ body: { env_id } }) => ({ ...impacted, num_total: env_id === id ? 7 : 0 }),
      take: async ({ body: { env } }) => {
        expect(env.row).toMatchObject({ id, node_selector: { zone: 'b' } });
        return (answers.shift() ?? (() => Promise.reject(new AppError('unavailable', 'away'))))();
      },
    }),
  );
  await tasks.listening();
  const queued = { ids: [randomUUID()], count: 9 };
  answers.push(async () => queued);
  expect(await change({ node_selector: { zone: 'b' } })).toEqual(queued);
  expect(await change({ name: `Named ${id}` })).toBeNull();
  expect(await change({ tolerations: [{ key: 'gpu', operator: 'Exists' }] })).toBeNull();
  expect(await admin.send(get, { id })).toMatchObject({ tolerations: [{ key: 'gpu' }] });

  expect(await admin.send(impact, { id })).toEqual({ ...impacted, num_total: 7 });
  const stranger = await somebody(auth, {});
  await expect(stranger.send(impact, { id })).rejects.toEqual(refusal('not_found', 'No such env'));
  await expect(auth.gateway.call(impact, { id })).rejects.toEqual(refusal('unauthenticated'));
  await expect(admin.send(impact, { id, query: { page: 0 } })).rejects.toEqual(refusal('invalid'));
});

test('two envs cannot have the same name, even in different case', async () => {
  const env = await newEnv(auth.db);
  const other = await newEnv(auth.db);
  const taken = refusal('conflict', 'already exists');

  await expect(admin.send(create, { body: { name: env.name.toUpperCase() } })).rejects.toEqual(taken);
  await expect(admin.send(update, { id: other.id, body: { name: env.name } })).rejects.toEqual(taken);
  await expect(admin.send(update, { id: env.id, body: { name: env.name.toUpperCase() } })).resolves.toMatchObject({
    name: env.name.toUpperCase(),
  });
});

test('an env admin changes selector and tolerations; the rest is for site admins', async () => {
  const env = await newEnv(auth.db);
  const { send } = await somebody(auth, { roles: { [env.id]: 'Admin' } });
  const { id, name } = env;

  await expect(send(update, { id, body: { node_selector: { zone: 'b' }, name } })).resolves.toMatchObject({
    node_selector: { zone: 'b' },
  });
  await expect(send(update, { id, body: { name: `${name} 2` } })).rejects.toEqual(refusal('forbidden', 'a site admin'));
  await expect(send(update, { id, body: { auto_add_new_users: true } })).rejects.toEqual(refusal('forbidden', 'site'));
  await expect(send(remove, { id })).rejects.toEqual(refusal('forbidden'));
  await expect(send(create, { body: { name: 'mine' } })).rejects.toEqual(refusal('forbidden'));
});

test('members, bots and the deployments of an env can read it but not change it', async () => {
  const env = await newEnv(auth.db);
  const { id } = env;
  const member = await somebody(auth, { roles: { [id]: 'User' } });
  const readers = [member, await somebot(auth), await somedeployment(auth, tasks, clusterSync, id)];

  for (const { send } of readers) {
    await expect(send(get, { id })).resolves.toEqual(env);
    await expect(send(list, { query: { name: env.name.toUpperCase() } })).resolves.toMatchObject({ items: [env] });
    await expect(send(update, { id, body: {} })).rejects.toEqual(refusal('forbidden', 'an admin of the env'));
    await expect(send(remove, { id })).rejects.toEqual(refusal('forbidden'));
  }
});

test('an env looks missing to users without a role in it', async () => {
  const env = await newEnv(auth.db);
  const other = await newEnv(auth.db);
  const strangers = [
    await somebody(auth, { roles: { [other.id]: 'Admin' } }),
    await somedeployment(auth, tasks, clusterSync, other.id),
  ];

  for (const { send } of strangers) {
    const visible = await send(list, { query: { per_page: 100 } });
    expect(visible).toMatchObject({ num_total: 1, items: [{ id: other.id }] });
    for (const id of [env.id, randomUUID()]) {
      await expect(send(get, { id })).rejects.toEqual(refusal('not_found', 'No such env'));
      await expect(send(update, { id, body: { node_selector: null } })).rejects.toEqual(
        refusal('not_found', 'No such env'),
      );
    }
  }
});

test.for([
  ['a name of spaces', { name: '  ' }, 'body.name'],
  ['a selector of numbers', { node_selector: { zone: 1 } }, 'body.node_selector.zone'],
  ['a selector that is a list', { node_selector: [] }, 'body.node_selector'],
  ['tolerations that are not a list', { tolerations: {} }, 'body.tolerations'],
  ['a null name', { name: null }, 'body.name'],
  ['an unknown field', { owner: 'me' }, 'body.owner'],
] as const)('an env with %s is refused', async ([, body, path]) => {
  const { id } = await newEnv(auth.db);

  await expect(admin.send(update, { id, body: malformed(body) })).rejects.toEqual(refusal('invalid', '', path));
});

test('a change of an env with a stale If-Match is refused', async () => {
  const { id } = await newEnv(auth.db);

  await expect(admin.send(update, { id, body: {} }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
  await expect(admin.send(remove, { id }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
  await expect(admin.send(update, { id, body: {} }, { ifMatch: '*' })).resolves.toMatchObject({ id });
});

test('an env in use is not deleted, and the refusal names its contents', async () => {
  const { id } = await newEnv(auth.db);
  usage.clusters.set(id, { count: 2, names: ['eu-1', 'eu-2'] });
  usage.secrets.set(id, { count: 1, names: ['db/password'] });

  await expect(admin.send(remove, { id })).rejects.toEqual(
    refusal('conflict', 'in use by 2 clusters (eu-1, eu-2), and by 1 secret (db/password)'),
  );
  await expect(admin.send(remove, { id: randomUUID() })).rejects.toEqual(refusal('not_found'));
  await expect(admin.send(get, { id })).resolves.toMatchObject({ id });
});

test('deleting an env deletes its members and their permissions, and publishes all deletions', async () => {
  const kind_id = await somekind(auth, await auth.connect('registry-scan'));
  const { id: env_id } = await newEnv(auth.db);
  const member = await somebody(auth);
  const role = await admin.send(envUserPermissions.operations.create, {
    body: { env_id, user_id: member.id, role: 'User' },
  });
  const body = { env_id, user_id: member.id, kind_id, role: 'Owner' } as const;
  const permission = await admin.send(deploymentPermissions.operations.create, { body });

  await admin.send(remove, { id: env_id });

  await expect(admin.send(envUserPermissions.operations.get, { id: role.id })).rejects.toEqual(refusal('not_found'));
  await expect(member.send(list, {})).resolves.toMatchObject({ num_total: 0 });
  const recorded = await auth.db.any(sql.type(z.object({ resource: z.string(), id: z.string() }))`
    select resource, id from outbox where env_id = ${env_id} and operation = 'DELETE' order by resource
  `);
  expect(recorded).toEqual([
    { resource: 'deployment_permissions', id: permission.id },
    { resource: 'env_user_permissions', id: role.id },
    { resource: 'envs', id: env_id },
  ]);
});

test('a change of an env is published, and a request without a change is not', async () => {
  const { id } = await admin.send(create, { body: { name: `Published ${randomUUID()}` } });
  const received: unknown[] = [];
  const stop = new AbortController();
  const listening = tasks.state.follow(envs, {
    apply: async ({ id: changed, operation, row, version }) => {
      if (changed === id) received.push({ operation, row, version });
    },
    signal: stop.signal,
  });

  const changed = await admin.send(update, { id, body: { node_selector: { zone: 'a' } } });
  await admin.send(update, { id, body: { node_selector: { zone: 'a' } } });
  const renamed = await admin.send(update, { id, body: { name: `Renamed ${id}` } });

  await expect.poll(() => received.at(-1)).toMatchObject({ row: renamed });
  stop.abort();
  await listening;
  const changes = await auth.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from audit_log where object_id = ${id} and result = 'done'
  `);
  expect(changed.node_selector).toEqual({ zone: 'a' });
  expect(changes).toBe(3);
});
