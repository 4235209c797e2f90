import type { Identity } from '@berth/shared/access/identity';
import type { Bus, CallOptions } from '@berth/shared/bus/bus';
import { clusterAccess } from '@berth/shared/contracts/resources/cluster-access';
import { clusterUsage } from '@berth/shared/contracts/resources/cluster-usage';
import type { Operation, OperationSpec, RequestInput } from '@berth/shared/contracts/contract';
import { k8sClusters } from '@berth/shared/contracts/resources/k8s-clusters';
import { k8sResources } from '@berth/shared/contracts/resources/k8s-resources';
import { audited } from '@berth/shared/db/test-support/audited';
import { AppError } from '@berth/shared/errors';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/shared/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimOn } from './support/neighbours.ts';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

const { envId, otherEnvId } = samplePlaces;
const { siteAdmin, envUser, outsider, bot, deployment } = sampleIdentities;
const missing = '99999999-9999-4999-8999-999999999999';
const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';

let service: ServiceInTest;
let gateway: Bus;
let inEnv: string;
let withoutEnv: string;

beforeAll(async () => {
  service = await startServiceInTest();
  gateway = service.gateway;
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources`);
  service.envs = [envId, otherEnvId];
  service.onEnvAsked = () => undefined;
  service.deployments = [];
  inEnv = await service.addCluster({ name: 'one', envId });
  withoutEnv = await service.addCluster({ name: 'two', envId: null });
});

async function ask<S extends OperationSpec>(
  operation: Operation<S>,
  identity: Identity,
  request: RequestInput<S>,
  options: CallOptions = {},
) {
  return gateway.call(operation, request, { identityToken: await identityToken(identity, 'cluster-sync'), ...options });
}

const nameOrCode = (answer: Promise<{ name: string }>): Promise<string> =>
  answer.then(
    ({ name }) => name,
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

const clusters = k8sClusters.operations;
const byAdmin = { actor_kind: 'user', actor_id: siteAdmin.id, resource: 'k8s_clusters' };
const resources = k8sResources.operations;

describe('clusters: list and get', () => {
  test.for<[string, Identity, string[]]>([
    ['a site admin', siteAdmin, ['one', 'two']],
    ['a bot', bot, ['one', 'two']],
    ['a member of the env', envUser, ['one']],
    ['a deployment of the env', deployment, ['one']],
    ['a user without envs', outsider, []],
  ])('%s sees the clusters it may see', async ([, identity, names]) => {
    const { items, num_total } = await ask(clusters.list, identity, { query: { sort: 'name' } });

    expect(items.map(({ name }) => name)).toEqual(names);
    expect(num_total).toBe(names.length);
    for (const [name, id] of [
      ['one', inEnv],
      ['two', withoutEnv],
    ] as const) {
      expect(await nameOrCode(ask(clusters.get, identity, { id }))).toBe(names.includes(name) ? name : 'not_found');
    }
  });

  test('filter by env and name', async () => {
    const named = async (query: NonNullable<RequestInput<typeof clusters.list>['query']>) =>
      (await ask(clusters.list, siteAdmin, { query })).items.map(({ name }) => name);

    expect(await named({ env_id: envId })).toEqual(['one']);
    expect(await named({ env_id: 'null' })).toEqual(['two']);
    expect(await named({ name: 'TWO' })).toEqual(['two']);
  });

  test('refuse an unknown filter and a wrong one, naming it', async () => {
    await expect(ask(clusters.list, siteAdmin, { query: { env_id: 'x' } })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path: 'query.env_id' }],
    });
    await expect(gateway.call(clusters.list, { query: {} })).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('clusters: update', () => {
  test('takes a new cluster into use', async () => {
    const body = {
      env_id: otherEnvId,
      ignore: false,
      ingress_domain: 'Apps.Example.com',
      ingress_class: 'nginx',
      ingress_tls_secret_name: 'tls',
      metrics_url: 'https://metrics.example.com/',
      metrics_datasource_name: 'main',
    };

    const updated = await ask(clusters.update, siteAdmin, { id: withoutEnv, body });

    expect(updated).toMatchObject({ ...body, ingress_domain: 'apps.example.com' });
    expect(await ask(clusters.get, siteAdmin, { id: withoutEnv })).toEqual(updated);
    expect(await audited(service.db, withoutEnv)).toMatchObject([
      { ...byAdmin, action: 'update', env_id: otherEnvId, details: { env_id: [null, otherEnvId] } },
    ]);
  });

  test('leaves alone what is not given and clears what is null', async () => {
    await ask(clusters.update, siteAdmin, { id: inEnv, body: { ingress_class: 'nginx', metrics_url: 'http://m/' } });

    const updated = await ask(clusters.update, siteAdmin, { id: inEnv, body: { ingress_class: null } });

    expect(updated).toMatchObject({ ingress_class: null, metrics_url: 'http://m/', env_id: envId });
    expect(await ask(clusters.update, siteAdmin, { id: inEnv, body: {} })).toEqual(updated);
  });

  test.for<[string, object]>([
    ['body.ingress_domain', { ingress_domain: 'not a domain' }],
    ['body.metrics_url', { metrics_url: 'javascript:alert(1)' }],
    ['body.ignore', { ignore: null }],
    ['body.env_id', { env_id: 'x' }],
  ])('names a wrong %s', async ([path, body]) => {
    await expect(ask(clusters.update, siteAdmin, { id: inEnv, body })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path }],
    });
  });

  test.for<[string, Identity]>([
    ['an env admin', sampleIdentities.envAdmin],
    ['a bot', bot],
    ['a deployment', deployment],
  ])('is not for %s', async ([, identity]) => {
    await expect(ask(clusters.update, identity, { id: inEnv, body: {} })).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('of a cluster that is not there says so', async () => {
    await expect(ask(clusters.update, siteAdmin, { id: missing, body: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('refuses an env that does not exist', async () => {
    await expect(ask(clusters.update, siteAdmin, { id: inEnv, body: { env_id: missing } })).rejects.toMatchObject({
      code: 'unprocessable',
      errors: [{ path: 'body.env_id' }],
    });
  });

  test('takes the cluster back from an env that is deleted while the cluster is put into it', async () => {
    service.onEnvAsked = () => (service.envs = []);

    await expect(
      ask(clusters.update, siteAdmin, { id: withoutEnv, body: { env_id: otherEnvId } }),
    ).rejects.toMatchObject({
      errors: [{ path: 'body.env_id' }],
    });

    expect(await ask(clusters.get, siteAdmin, { id: withoutEnv })).toMatchObject({ env_id: null });
  });

  test('refuses another env while there are deployments, naming them, and allows the rest', async () => {
    service.deployments = ['web-one', 'web-two'];

    for (const env_id of [otherEnvId, null]) {
      await expect(ask(clusters.update, siteAdmin, { id: inEnv, body: { env_id } })).rejects.toMatchObject({
        code: 'conflict',
        message: 'The cluster one has deployments: web-one, web-two',
      });
    }
    await expect(
      ask(clusters.update, siteAdmin, { id: inEnv, body: { env_id: envId, ignore: true } }),
    ).resolves.toMatchObject({ ignore: true });
  });

  test('refuses the ingress domain of another cluster', async () => {
    await ask(clusters.update, siteAdmin, { id: inEnv, body: { ingress_domain: 'apps.example.com' } });

    await expect(
      ask(clusters.update, siteAdmin, { id: withoutEnv, body: { ingress_domain: 'apps.example.com' } }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('apps.example.com') });
  });

  test('refuses a stale If-Match before anything else', async () => {
    service.deployments = ['web-one'];

    await expect(
      ask(clusters.update, siteAdmin, { id: inEnv, body: { env_id: null } }, { ifMatch: '"stale"' }),
    ).rejects.toMatchObject({ code: 'stale' });
  });
});

describe('clusters: delete', () => {
  test('removes a cluster', async () => {
    await ask(clusters.delete, siteAdmin, { id: inEnv });

    await expect(ask(clusters.get, siteAdmin, { id: inEnv })).rejects.toMatchObject({ code: 'not_found' });
    await expect(ask(clusters.delete, siteAdmin, { id: inEnv })).rejects.toMatchObject({ code: 'not_found' });
    expect(await audited(service.db, inEnv)).toMatchObject([
      { ...byAdmin, action: 'delete', env_id: envId, details: { name: ['one', null] } },
    ]);
  });

  test('refuses one with deployments', async () => {
    service.deployments = Array.from({ length: 12 }, (_, index) => `web-${index}`);

    await expect(ask(clusters.delete, siteAdmin, { id: inEnv })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^The cluster one has deployments: web-0, .*web-9, 2 more$/),
    });
    await expect(ask(clusters.get, siteAdmin, { id: inEnv })).resolves.toMatchObject({ id: inEnv });
  });

  test('is not for others', async () => {
    await expect(ask(clusters.delete, bot, { id: inEnv })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('tracked resources', () => {
  let podId: string;

  beforeEach(async () => {
    podId = await service.addResource({ clusterId: inEnv, deploymentId, kind: 'Pod', name: 'web-1' });
    await service.addResource({ clusterId: withoutEnv, deploymentId: missing, kind: 'Service', name: 'web' });
  });

  test.for<[string, Identity, string[]]>([
    ['a site admin', siteAdmin, ['web', 'web-1']],
    ['a bot', bot, ['web', 'web-1']],
    ['a member of the env', envUser, ['web-1']],
    ['a user without envs', outsider, []],
  ])('%s sees those on the clusters it may see', async ([, identity, names]) => {
    const { items } = await ask(resources.list, identity, { query: { sort: 'name' } });

    expect(items.map(({ name }) => name)).toEqual(names);
    const got = await nameOrCode(ask(resources.get, identity, { id: podId }));
    expect(got).toBe(names.includes('web-1') ? 'web-1' : 'not_found');
  });

  test('filter by cluster, deployment, kind and name', async () => {
    const named = async (query: NonNullable<RequestInput<typeof resources.list>['query']>) =>
      (await ask(resources.list, siteAdmin, { query })).items.map(({ name }) => name);

    expect(await named({ cluster_id: inEnv })).toEqual(['web-1']);
    expect(await named({ deployment_id: deploymentId })).toEqual(['web-1']);
    expect(await named({ kind: 'service' })).toEqual(['web']);
    expect(await named({ name: 'WEB' })).toEqual(['web']);
    await expect(named({ cluster_id: 'x' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('one that is not there is not found', async () => {
    await expect(ask(resources.get, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('internal operations', () => {
  test('auth is told which clusters an env has', async () => {
    const usageOf = (env_id: string) => service.auth.call(clusterUsage.operations.of_env, { body: { env_id } });

    expect(await usageOf(envId)).toEqual({ clusters: { count: 1, names: ['one'] } });
    expect(await usageOf(otherEnvId)).toEqual({ clusters: { count: 0, names: [] } });
  });

  test('access is given neither to a cluster that is not there nor to one that is not configured', async () => {
    const issue = (clusterId: string) =>
      service.runner.call(clusterAccess.operations.issue, { body: claimOn(service, clusterId) });

    await expect(issue(missing)).rejects.toMatchObject({ code: 'not_found' });
    await expect(issue(inEnv)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The cluster one is not configured here, or refused',
    });
  });

  test('access is given for a claim only, and to no cluster that is ignored', async () => {
    const { issue } = clusterAccess.operations;
    const claim = claimOn(service, inEnv);

    const guessed = service.runner.call(issue, { body: { ...claim, fence: claim.fence + 1 } });
    await expect(guessed).rejects.toMatchObject({ code: 'conflict' });

    const ignored = await service.addCluster({ name: 'ignored', envId: null });
    await service.db.query(sql.unsafe`update k8s_clusters set ignore = true where id = ${ignored}`);
    await expect(service.runner.call(issue, { body: claimOn(service, ignored) })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The cluster ignored is ignored',
    });
  });

  test('are out of reach for others', async () => {
    const stolen = gateway.call(clusterAccess.operations.issue, { body: claimOn(service, inEnv) });

    await expect(stolen).rejects.toThrow('NATS does not allow api-gateway to send to');
  });
});
