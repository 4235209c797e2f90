import { ApiProblem } from '@berth/devstack/journey/api-client';
import { askForHello, untilRunning } from '@berth/devstack/journey/hello-deployment';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { connect, PermissionViolationError } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Platform, startPlatform } from './setup/platform.ts';

const AnyRow = z.looseObject({ id: z.uuid() });
type Api = Platform['admin'];

let platform: Platform;
let grace: Awaited<ReturnType<Platform['person']>>;
let deploymentId: string;
let envA: string;
let envB: string;

beforeAll(async () => {
  platform = await startPlatform();
  const { admin } = platform;
  const sample = await platform.sample('env-b');
  const [found] = await admin.list('/envs?name=env-b', AnyRow);
  envB = found?.id ?? '';
  envA = (await admin.send('POST', '/envs', { name: 'env-a' }, AnyRow)).id;
  grace = await platform.person('grace');
  await admin.send('POST', '/env-user-permissions', { env_id: envA, user_id: grace.id, role: 'Admin' }, AnyRow);
  deploymentId = (await untilRunning(admin, (await askForHello(admin, sample, 'of-b')).id)).id;
  await waitFor(
    'tracked resources',
    async () => (await admin.list(`/k8s-resources?deployment_id=${deploymentId}`, AnyRow)).length > 0,
    {
      withinMs: 30_000,
      signal: AbortSignal.timeout(40_000),
    },
  );
});
afterAll(() => platform[Symbol.asyncDispose]());

const statusOf = (request: Promise<unknown>): Promise<number> =>
  request.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiProblem) return error.status;
      throw error;
    },
  );

const firstId = async (api: Api, path: string) => (await api.list(path, AnyRow))[0]?.id ?? '';

describe('a member of one env', () => {
  test.for([
    ['deployments', '/deployments'],
    ['tasks', '/deployment-tasks'],
    ['tracked resources', '/k8s-resources'],
    ['clusters', '/k8s-clusters'],
  ] as const)('sees no %s of another, neither in the list nor by id', async ([, path]) => {
    const { admin } = platform;
    const ids = (await admin.list(path, AnyRow)).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);

    expect(await grace.api.list(path, AnyRow)).toEqual([]);
    for (const id of ids.slice(0, 3)) expect(await statusOf(grace.api.get(`${path}/${id}`, AnyRow))).toBe(404);
  });

  test('sees its own env only, and nobody else who is a member of the other', async () => {
    expect((await grace.api.list('/envs', AnyRow)).map(({ id }) => id)).toEqual([envA]);
    expect(await statusOf(grace.api.get(`/envs/${envB}`, AnyRow))).toBe(404);
    expect(await grace.api.list(`/env-user-permissions?env_id=${envB}`, AnyRow)).toEqual([]);
  });

  test('cannot change, delete, retry or read the log of what it cannot see, and is not told that it is there', async () => {
    const task = await firstId(platform.admin, '/deployment-tasks');
    const requests = [
      grace.api.send('PUT', `/deployments/${deploymentId}`, { enabled: false }, AnyRow),
      grace.api.send('DELETE', `/deployments/${deploymentId}`, undefined, z.null()),
      grace.api.send('DELETE', `/deployment-tasks/${task}`, undefined, AnyRow),
      grace.api.send('POST', `/deployment-tasks/${task}/retry`, undefined, AnyRow),
      grace.api.get(`/deployment-tasks/${task}/log`, z.unknown()),
    ];
    expect(await Promise.all(requests.map(statusOf))).toEqual([404, 404, 404, 404, 404]);
  });

  test('cannot deploy onto a cluster of another env', async () => {
    const { admin } = platform;
    const chart = await admin.list('/helm-charts', z.looseObject({ id: z.uuid(), helm_registry_id: z.uuid() }));
    const [registry] = await admin.list('/helm-registries', z.looseObject({ id: z.uuid(), kind_id: z.uuid() }));
    const body = {
      name: 'sneaky',
      kind_id: registry?.kind_id,
      cluster_id: await firstId(admin, '/k8s-clusters'),
      helm_chart_id: chart[0]?.id,
      config: {},
      values_override: null,
    };
    expect(await statusOf(grace.api.send('POST', '/deployments', body, AnyRow))).toBe(422);
  });
});

test('a user who is deactivated fails on the next request, with every credential', async () => {
  const { admin, stack } = platform;
  const linus = await platform.person('linus');
  const { created_token } = await linus.api.send(
    'POST',
    '/user-tokens',
    { user_id: null },
    z.object({ created_token: z.string() }),
  );
  const withToken = () => fetch(`${stack.url}/api/v2/envs`, { headers: { 'x-service-token': created_token } });
  expect((await withToken()).status).toBe(200);

  await admin.send('PUT', `/users/${linus.id}`, { is_active: false }, AnyRow);

  const refused = await withToken();
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ code: 'user_inactive' });
  expect(await statusOf(linus.api.get('/envs', z.unknown()))).toBe(401);
});

describe('the user that a service has in NATS', () => {
  const connectAs = (caller: 'registry-scan' | 'cluster-sync') => {
    const { url, passwords } = platform.stack.nats;
    return connect({ servers: url, user: caller, pass: passwords[caller], inboxPrefix: `_INBOX_${caller}` });
  };

  test.for([
    'rpc.v1.auth.registry-scan.users.update',
    'rpc.v1.auth.api-gateway.identities.authenticate',
    'rpc.v1.tasks.runner.runner_tasks.claim',
    'state_v1.auth.envs.x',
    '$JS.API.STREAM.DELETE.STATE_auth',
  ])('cannot publish %s', async (subject) => {
    const nc = await connectAs('registry-scan');
    try {
      await expect(nc.request(subject, '{}', { timeout: 2_000 })).rejects.toThrow(/permissions violation/i);
    } finally {
      await nc.close();
    }
  });

  test.for(['_INBOX_api-gateway.>', '_INBOX_runner.>', 'rpc.v1.auth.>', '>'])(
    'cannot listen to %s',
    async (subject) => {
      const nc = await connectAs('cluster-sync');
      try {
        const subscription = nc.subscribe(subject);
        const heard = (async () => {
          for await (const _message of subscription) return 'a message';
          return 'nothing';
        })();
        // By then the server has refused it, if it does.
        await Promise.allSettled([nc.flush()]);
        subscription.unsubscribe();
        await expect(heard).rejects.toThrow(PermissionViolationError);
      } finally {
        await nc.close();
      }
    },
  );
});

describe('the role that a service has in Postgres', () => {
  test.for([
    ['registry_scan', 'auth.users'],
    ['cluster_sync', 'tasks.deployments'],
    ['tasks', 'auth.user_tokens'],
    ['auth', 'registry_scan.helm_charts'],
  ] as const)('%s cannot read %s', async ([role, table]) => {
    const client = new Client({ connectionString: platform.stack.databaseUrls[role] });
    await client.connect();
    try {
      await expect(client.query(`select * from ${table} limit 1`)).rejects.toThrow(/permission denied for schema/);
    } finally {
      await client.end();
    }
  });
});
