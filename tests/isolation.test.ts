import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Answer, createClient, unwrap, waitUntil } from '@berth/client';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import type { Page } from '@berth/contracts/definition/paging';
import { connect, PermissionViolationError } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inWorkload } from './setup/workloads/mounted-workload.ts';
import { type Platform, startPlatform } from './setup/platform.ts';
import { kubeClient } from './setup/slow-deployment.ts';

let platform: Platform;
let grace: Awaited<ReturnType<Platform['person']>>;
let deploymentId: string;
let envA: string;
let envB: string;

beforeAll(async () => {
  platform = await startPlatform();
  const { admin } = platform;
  const sample = await platform.sample('env-b');
  envB = sample.cluster.env_id ?? '';
  envA = unwrap(await admin.envs.create({ body: { name: 'env-a' } })).id;
  grace = await platform.person('grace');
  unwrap(await admin.envUserPermissions.create({ body: { env_id: envA, user_id: grace.id, role: 'Admin' } }));
  deploymentId = (await createHello(admin, sample, 'of-b')).id;
  await waitForRunning(admin, deploymentId);
  await waitUntil(
    async () => idsOf(await admin.k8sResources.list({ query: { deployment_id: deploymentId } })).length > 0,
    { what: 'tracked resources', withinMs: 90_000 },
  );
});
afterAll(() => platform[Symbol.asyncDispose]());

const idsOf = (answer: Answer<Page<{ id: string }>>): string[] => unwrap(answer).items.map(({ id }) => id);
const outcomeOf = (answer: Answer<unknown>): string => (answer.ok ? 'ok' : answer.problem.code);

describe('a member of one env', () => {
  test.for(['deployments', 'deploymentTasks', 'k8sResources', 'k8sClusters'] as const)(
    'sees no %s of another env, neither in the list nor by id',
    async (resource) => {
      const ids = idsOf(await platform.admin[resource].list());
      expect(ids.length).toBeGreaterThan(0);

      const { [resource]: visible } = grace.api;
      expect(idsOf(await visible.list())).toEqual([]);
      for (const id of ids.slice(0, 3)) expect(outcomeOf(await visible.get({ id }))).toBe('not_found');
    },
  );

  test('sees only its own env, and only members of that env', async () => {
    const { envs, envUserPermissions } = grace.api;
    expect(idsOf(await envs.list())).toEqual([envA]);
    expect(outcomeOf(await envs.get({ id: envB }))).toBe('not_found');
    expect(idsOf(await envUserPermissions.list({ query: { env_id: envB } }))).toEqual([]);
  });

  test('is answered not_found for every change and log of a deployment in another env', async () => {
    const { deployments, deploymentTasks } = grace.api;
    const [task = ''] = idsOf(await platform.admin.deploymentTasks.list());
    const answers = await Promise.all([
      deployments.update({ id: deploymentId, body: { enabled: false } }),
      deployments.delete({ id: deploymentId }),
      deploymentTasks.cancel({ id: task }),
      deploymentTasks.retry({ id: task }),
      deploymentTasks.log({ id: task }),
    ]);
    expect(answers.map(outcomeOf)).toEqual(Array.from(answers, () => 'not_found'));
  });

  test('cannot deploy to a cluster of another env', async () => {
    const { admin } = platform;
    const [chart] = idsOf(await admin.helmCharts.list());
    const [cluster] = idsOf(await admin.k8sClusters.list());
    const [registry] = unwrap(await admin.helmRegistries.list()).items;
    const answer = await grace.api.deployments.create({
      body: {
        name: 'sneaky',
        kind_id: registry?.kind_id ?? '',
        cluster_id: cluster ?? '',
        helm_chart_id: chart ?? '',
        config: {},
        values_override: null,
      },
    });
    expect(outcomeOf(answer)).toBe('unprocessable');
  });
});

describe('a deployment, from its pods', () => {
  const secretData = async () => {
    const { namespace } = unwrap(await platform.admin.deployments.get({ id: deploymentId }));
    const { data } = await kubeClient(platform.stack).readNamespacedSecret({ name: 'service-creds', namespace });
    return data ?? {};
  };

  test('calls back as itself with the mounted service-creds, and sees its env only', async () => {
    const [me, deployments, envs, otherEnv] = await inWorkload(await secretData(), [
      'GET /auth/me',
      'GET /deployments',
      'GET /envs',
      `GET /envs/${envA}`,
    ]);

    expect(me).toEqual({ status: 200, body: { Deployment: { id: deploymentId, name: 'of-b', env_id: envB } } });
    expect(deployments).toMatchObject({ status: 200, body: { items: [{ id: deploymentId, env_id: envB }] } });
    expect(envs).toMatchObject({ status: 200, body: { num_total: 1, items: [{ id: envB }] } });
    expect(otherEnv).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('creates and changes a resource that it manages, with an id of its choice', async () => {
    const { deploymentResources, deploymentResourceTypes } = platform.admin;
    const [type] = unwrap(await deploymentResourceTypes.list({ query: { key: 'page' } })).items;
    const id = randomUUID();
    const props = { title: 'Start', password: 'swordfish' };
    const page = { id, type_id: type?.id, deployment_id: deploymentId, name: 'start', props, sync_status: 'Ready' };

    const answers = await inWorkload(await secretData(), [
      `POST /deployment-resources ${JSON.stringify(page)}`,
      `PUT /deployment-resources/${id} {"props":{"title":"Home"}}`,
    ]);

    expect(answers).toMatchObject([
      { status: 201, body: { id, deployment_id: deploymentId, sync_status: 'Ready', props: { title: 'Start' } } },
      { status: 200, body: { id, props: { title: 'Home' } } },
    ]);
    expect(unwrap(await deploymentResources.get({ id }))).toEqual(answers[1]?.body);
    expect(JSON.stringify(answers)).not.toContain('swordfish');
  });

  test('is refused the operations of people and administrators', async () => {
    const [cluster = ''] = idsOf(await platform.admin.k8sClusters.list());

    const answers = await inWorkload(await secretData(), [
      'POST /envs {"name":"mine"}',
      `PUT /k8s-clusters/${cluster} {"ignore":true}`,
      `PUT /deployments/${deploymentId} {"enabled":false}`,
      `DELETE /deployments/${deploymentId}`,
      'POST /user-tokens {"user_id":null}',
      'GET /bot-tokens',
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  });

  test('has its service-creds before its pods start, with only the rights that the manifests grant', async () => {
    const { namespace } = unwrap(await platform.admin.deployments.get({ id: deploymentId }));
    const core = kubeClient(platform.stack);
    const { metadata } = await core.readNamespacedSecret({ name: 'service-creds', namespace });
    const { items: pods } = await core.listNamespacedPod({ namespace });

    expect(pods.length).toBeGreaterThan(0);
    for (const pod of pods) {
      expect(pod.metadata?.creationTimestamp?.getTime()).toBeGreaterThanOrEqual(
        metadata?.creationTimestamp?.getTime() ?? Number.POSITIVE_INFINITY,
      );
      expect(pod.spec?.volumes).toContainEqual(
        expect.objectContaining({ secret: expect.objectContaining({ secretName: 'service-creds' }) }),
      );
    }
  });

  test('gets its service-creds back after somebody deleted them', async () => {
    const { namespace } = unwrap(await platform.admin.deployments.get({ id: deploymentId }));
    await kubeClient(platform.stack).deleteNamespacedSecret({ name: 'service-creds', namespace });

    const data = await waitUntil(() => secretData().catch(() => false as const), {
      what: 'service-creds to be written again',
      withinMs: 60_000,
    });

    expect(await inWorkload(data, ['GET /auth/me'])).toMatchObject([{ status: 200 }]);
  });

  test('is refused from the next request on after it was disabled', async () => {
    const data = await secretData();
    unwrap(await platform.admin.deployments.update({ id: deploymentId, body: { enabled: false } }));

    expect(await inWorkload(data, ['GET /auth/me'])).toMatchObject([{ status: 401, body: { code: 'token_revoked' } }]);
  });
});

test('every credential of a deactivated user is refused from the next request on', async () => {
  const { admin, stack } = platform;
  const linus = await platform.person('linus');
  const { created_token } = unwrap(await linus.api.userTokens.create({ body: { user_id: null } }));
  const withToken = createClient({
    baseUrl: stack.url,
    credential: () => ({ token: created_token }),
    patience: { ms: 0 },
  });
  expect(outcomeOf(await withToken.envs.list())).toBe('ok');

  unwrap(await admin.users.update({ id: linus.id, body: { is_active: false } }));

  expect(await withToken.envs.list()).toMatchObject({ problem: { status: 401, code: 'user_inactive' } });
  expect(await linus.api.envs.list()).toMatchObject({ problem: { status: 401 } });
});

describe('the NATS user of a service', () => {
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
      await expect(nc.request(subject, '{}', { timeout: 20_000 })).rejects.toThrow(/permissions violation/i);
    } finally {
      await nc.close();
    }
  });

  test.for(['_INBOX_api-gateway.>', '_INBOX_runner.>', 'rpc.v1.auth.>', '>'])(
    'cannot subscribe to %s',
    async (subject) => {
      const nc = await connectAs('cluster-sync');
      try {
        const subscription = nc.subscribe(subject);
        const received = async () => {
          for await (const _message of subscription) return 'a message';
          return 'nothing';
        };
        // The refusal may arrive before the flush ends; the server has answered by then.
        const [outcome] = await Promise.allSettled([received(), nc.flush().finally(() => subscription.unsubscribe())]);
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(PermissionViolationError) });
      } finally {
        await nc.close();
      }
    },
  );
});

describe('the Postgres role of a service', () => {
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

test('the services expose exactly the metrics that the manual for operators lists', async () => {
  const manual = await readFile(new URL('../docs/operators.md', import.meta.url), 'utf8');
  const pages = await Promise.all(
    Object.values(platform.stack.healthPorts).map(async (port) =>
      (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    ),
  );

  const namesIn = (text: string, pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, name]) => name));
  // The manual names these two as labels.
  const listed = namesIn(manual, /`(?!berth_(?:cluster|env)`)(berth_[a-z_]+)`/g);
  expect(namesIn(pages.join('\n'), /^# TYPE (berth_[a-z_]+) /gm)).toEqual(listed);
});
