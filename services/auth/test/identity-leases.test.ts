import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { changesRows, type Operation } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { type Credential, identities } from '@berth/contracts/resources/accounts/identities';
import { identityCaches, identityLeases } from '@berth/contracts/resources/accounts/identity-leases';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { users } from '@berth/contracts/resources/accounts/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIdentityLeaseRepository } from '../src/identity-leases/identity-lease-repository.ts';
import { newApiToken } from '../src/tokens/api-token.ts';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { somebot, somedeployment, somekind } from './support/bots-and-deployments.ts';
import { newEnv, newUser, type Somebody, somebody } from './support/people.ts';
import { UsageOfEnvs } from './support/usage-of-envs.ts';
import { inStore } from './support/in-store.ts';

const { renew, release } = identityLeases.operations;

let auth: AuthUnderTest;
let admin: Somebody;
let clusterSync: Bus;
let tasks: Bus;
let kind_id: string;
/** How often the gateway of the test had to forget. */
let forgotten = 0;

beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
  kind_id = await somekind(auth, await auth.connect('registry-scan'));
  clusterSync = await auth.connect('cluster-sync');
  tasks = await auth.connect('tasks');
  new UsageOfEnvs().serve(clusterSync, tasks);
  await Promise.all([clusterSync.listening(), tasks.listening()]);
  auth.gateway.serve(
    implement(identityCaches, {
      forget: async () => {
        forgotten += 1;
        return {};
      },
    }),
  );
  await auth.gateway.listening();
  await auth.gateway.call(renew, { body: { gateway: auth.gateway.instance, lease_ms: 1_000 } });
});
afterAll(() => auth?.[Symbol.asyncDispose]());

async function newToken(user_id: string, expires_at: string | null = null) {
  const { id, secretHash, text } = newApiToken();
  await inStore(auth.db, ({ userTokens }) => userTokens.insert({ id, user_id, name: null, expires_at, secretHash }));
  return { id, text };
}

async function newMember() {
  const [env, user] = [await newEnv(auth.db), await newUser(auth.db)];
  const member = { env_id: env.id, user_id: user.id };
  return { member, ...(await inStore(auth.db, ({ envMembers }) => envMembers.insert({ ...member, role: 'User' }))) };
}

async function newPermission() {
  const { member } = await newMember();
  return inStore(auth.db, ({ deploymentPermissions }) =>
    deploymentPermissions.insert({ ...member, kind_id, role: 'Owner' }),
  );
}

/** Each function prepares a change of rights and returns it. */
const changes: Record<string, () => Promise<() => Promise<unknown>>> = {
  'users.update': async () => {
    const { id } = await newUser(auth.db);
    return () => admin.send(users.operations.update, { id, body: { is_active: false } });
  },
  'user_tokens.delete': async () => {
    const { id } = await newToken(admin.id);
    return () => admin.send(userTokens.operations.delete, { id });
  },
  'bots.update': async () => {
    const { id } = await somebot(auth);
    return () => admin.send(bots.operations.update, { id, body: { is_active: false } });
  },
  'bots.delete': async () => {
    const { id } = await somebot(auth);
    return () => admin.send(bots.operations.delete, { id });
  },
  'bot_tokens.delete': async () => {
    const { tokenId: id } = await somebot(auth);
    return () => admin.send(botTokens.operations.delete, { id });
  },
  'envs.delete': async () => {
    const { id } = await newEnv(auth.db);
    return () => admin.send(envs.operations.delete, { id });
  },
  'env_user_permissions.create': async () => {
    const [env, user] = [await newEnv(auth.db), await newUser(auth.db)];
    const body = { env_id: env.id, user_id: user.id, role: 'User' as const };
    return () => admin.send(envUserPermissions.operations.create, { body });
  },
  'env_user_permissions.update': async () => {
    const { id } = await newMember();
    return () => admin.send(envUserPermissions.operations.update, { id, body: { role: 'Admin' } });
  },
  'env_user_permissions.delete': async () => {
    const { id } = await newMember();
    return () => admin.send(envUserPermissions.operations.delete, { id });
  },
  'deployment_permissions.create': async () => {
    const { member } = await newMember();
    const body = { ...member, kind_id, role: 'Owner' as const };
    return () => admin.send(deploymentPermissions.operations.create, { body });
  },
  'deployment_permissions.delete': async () => {
    const { id } = await newPermission();
    return () => admin.send(deploymentPermissions.operations.delete, { id });
  },
};

/** Nobody can have read the identity of a new row yet, and identities do not contain the name of an env. */
const changesNoIdentity = ['bot_tokens.create', 'bots.create', 'envs.create', 'envs.update', 'user_tokens.create'];

test('every operation of auth that changes rows either leaves identities unchanged or makes gateways forget', () => {
  const changing = resources
    .filter(({ owner }) => owner === 'auth')
    .flatMap((resource) => Object.values<Operation>(resource.operations).filter((one) => changesRows(one, resource)))
    .map(({ resource, name }) => `${resource}.${name}`);

  expect(changing.sort()).toEqual([...Object.keys(changes), ...changesNoIdentity].sort());
});

describe('before the answer, a gateway with a lease has forgotten what it read:', () => {
  test.for(Object.keys(changes))('%s', async (name) => {
    const change = await changes[name]?.();
    const before = forgotten;

    await change?.();

    expect(forgotten).toBe(before + 1);
  });

  test.for(['users.update', 'bots.delete', 'user_tokens.delete', 'envs.delete', 'deployment_permissions.delete'])(
    'a repeated %s, which changes nothing',
    async (name) => {
      const change = await changes[name]?.();
      await change?.();
      const before = forgotten;

      const [outcome] = await Promise.allSettled([change?.()]);

      expect([{ status: 'fulfilled' }, { reason: { code: 'not_found' } }]).toContainEqual(
        outcome.status === 'fulfilled' ? { status: 'fulfilled' } : { reason: { code: outcome.reason.code } },
      );
      expect(forgotten).toBe(before + 1);
    },
  );

  test('a repeated change whose If-Match is stale by then', async () => {
    const { id } = await newUser(auth.db);
    const change = () =>
      admin.send(users.operations.update, { id, body: { is_active: false } }, { ifMatch: '"before"' });
    const before = forgotten;

    await expect(change()).rejects.toMatchObject({ code: 'stale' });

    expect(forgotten).toBe(before + 1);
  });
});

test('a refused change makes no gateway forget', async () => {
  const stranger = await somebody(auth);
  const before = forgotten;

  await expect(
    stranger.send(users.operations.update, { id: admin.id, body: { is_active: false } }),
  ).rejects.toMatchObject({ code: 'forbidden' });

  expect(forgotten).toBe(before);
});

describe('the list of gateways with a lease', () => {
  const gateway = () => randomUUID().replaceAll('-', '').slice(0, 16);
  const listed = async (name: string) =>
    (await createIdentityLeaseRepository(auth.db).holders()).find((holder) => holder.gateway === name);
  const revoke = async () => admin.send(userTokens.operations.delete, { id: (await newToken(admin.id)).id });

  test('drops a gateway that does not confirm, once its lease has run out', async () => {
    const name = gateway();
    await auth.gateway.call(renew, { body: { gateway: name, lease_ms: 50 } });

    await revoke();

    expect(await listed(name)).toBeUndefined();
  });

  test('makes a change wait for the lease of a gateway that does not answer', async () => {
    const name = gateway();
    await auth.gateway.call(renew, { body: { gateway: name, lease_ms: 500 } });
    const started = performance.now();

    await revoke();

    expect(performance.now() - started).toBeGreaterThanOrEqual(500);
  });

  test('keeps a gateway that does not confirm but has renewed meanwhile', async () => {
    const name = gateway();
    await auth.gateway.call(renew, { body: { gateway: name, lease_ms: 300 } });
    const before = await listed(name);
    const change = revoke();
    const ended = change.then(() => true);
    // Renews until the change is answered, so the last renewal comes after the list was read.
    while (!(await Promise.race([ended, Promise.resolve(false)])))
      await auth.gateway.call(renew, { body: { gateway: name, lease_ms: 300 } });
    await change;

    expect(await listed(name)).not.toEqual(before);
    expect(await listed(name)).toBeDefined();
    await auth.gateway.call(release, { body: { gateway: name } });
  });

  test('keeps a gateway that was removed and returned after a change had read the list', async () => {
    const repository = createIdentityLeaseRepository(auth.db);
    const name = gateway();
    await repository.renew(name, 1_000);
    const read = (await repository.holders()).filter((holder) => holder.gateway === name);
    await repository.removeEnded(read);
    await repository.renew(name, 1_000);

    await repository.removeEnded(read);

    expect(await listed(name)).toBeDefined();
    await repository.release(name);
  });

  test('drops a gateway that gives up its lease', async () => {
    const name = gateway();
    await auth.gateway.call(renew, { body: { gateway: name, lease_ms: 1_000 } });

    await auth.gateway.call(release, { body: { gateway: name } });

    expect(await listed(name)).toBeUndefined();
  });

  test('has a maximum length, and further gateways are refused', async () => {
    const names = Array.from({ length: 1_000 }, gateway);
    const repository = createIdentityLeaseRepository(auth.db);
    for (const name of names) await repository.renew(name, 1);

    const refused = await auth.gateway.call(renew, { body: { gateway: gateway(), lease_ms: 1_000 } });
    const kept = await auth.gateway.call(renew, { body: { gateway: auth.gateway.instance, lease_ms: 1_000 } });

    expect([refused, kept]).toEqual([{ granted: false }, { granted: true }]);
    for (const name of names) await repository.release(name);
  });
});

test('only auth makes gateways forget, and only gateways take leases', async () => {
  const { forget } = identityCaches.operations;

  await expect(tasks.call(forget, {}, { process: auth.gateway.instance })).rejects.toThrow('NATS does not allow');
  await expect(tasks.call(renew, { body: { gateway: tasks.instance, lease_ms: 1_000 } })).rejects.toThrow(
    'NATS does not allow',
  );
});

describe('reusing an identity', () => {
  const reusableMs = async (credential: Credential) => {
    const body = { credential, audience: 'tasks' as const };
    return (await auth.gateway.call(identities.operations.authenticate, { body })).reusable_ms;
  };

  test('is allowed for a second, by token and by session', async () => {
    expect(await reusableMs({ token: (await newToken(admin.id)).text })).toBe(1_000);
    expect(await reusableMs({ token: (await somebot(auth)).token })).toBe(1_000);
    expect(await reusableMs({ jwt: admin.jwt })).toBe(1_000);
  });

  test('is allowed only while its token is valid', async () => {
    // If the token expires before it is used, the attempt proves nothing and is repeated.
    const ofShortToken = async () => {
      const { text } = await newToken(admin.id, new Date(Date.now() + 900).toISOString());
      return reusableMs({ token: text }).catch(() => Number.POSITIVE_INFINITY);
    };

    await expect.poll(ofShortToken).toBeLessThanOrEqual(900);
  });

  test('is not allowed for a deployment, which tasks may disable at any time', async () => {
    const env = await newEnv(auth.db);
    const deployment = await somedeployment(auth, tasks, clusterSync, env.id);

    expect(await reusableMs({ jwt: deployment.jwt })).toBe(0);
  });
});
