import type { Identity } from '@berth/contracts/access/identity';
import type { Bus } from '@berth/bus/bus';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import { clusterUsage } from '@berth/contracts/resources/clusters/cluster-usage';
import type { Operation, OperationSpec, RequestInput } from '@berth/contracts/definition/contract';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { k8sResourceState } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { audited } from '@berth/testing/db/audited';
import { AppError } from '@berth/contracts/errors';
import { answeredUnlikeContract } from '@berth/testing/contracts/refusals';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
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
  await service.db.query(sql.unsafe`truncate k8s_clusters, k8s_resources cascade`);
  service.envs = [envId, otherEnvId];
  service.onEnvConfirmed = () => undefined;
  service.deployments = [];
  inEnv = await service.addCluster({ name: 'one', envId });
  withoutEnv = await service.addCluster({ name: 'two', envId: null });
});

async function call<S extends OperationSpec>(
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

test.for<[string, Identity, string[]]>([
  ['a site admin', siteAdmin, ['one', 'two']],
  ['a bot', bot, ['one', 'two']],
  ['a member of the env', envUser, ['one']],
  ['a deployment of the env', deployment, ['one']],
  ['a user without envs', outsider, []],
])('%s reads only the visible clusters', async ([, identity, names]) => {
  const { items, num_total } = await call(clusters.list, identity, { query: { sort: 'name' } });

  expect(items.map(({ name }) => name)).toEqual(names);
  expect(num_total).toBe(names.length);
  for (const [name, id] of [
    ['one', inEnv],
    ['two', withoutEnv],
  ] as const) {
    expect(await nameOrCode(call(clusters.get, identity, { id }))).toBe(names.includes(name) ? name : 'not_found');
  }
});

test('clusters are filtered by env and name', async () => {
  const named = async (query: NonNullable<RequestInput<typeof clusters.list>['query']>) =>
    (await call(clusters.list, siteAdmin, { query })).items.map(({ name }) => name);

  expect(await named({ env_id: envId })).toEqual(['one']);
  expect(await named({ env_id: 'null' })).toEqual(['two']);
  expect(await named({ name: 'TWO' })).toEqual(['two']);
});

test('clusters are not listed without a credential or with an invalid filter, and the refusal names the filter', async () => {
  await expect(call(clusters.list, siteAdmin, { query: { env_id: 'x' } })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path: 'query.env_id' }],
  });
  await expect(gateway.call(clusters.list, { query: {} })).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a site admin assigns a new cluster to an env', async () => {
  const body = {
    env_id: otherEnvId,
    ignore: false,
    ingress_domain: 'Apps.Example.com',
    ingress_class: 'nginx',
    ingress_tls_secret_name: 'tls',
    metrics_url: 'https://metrics.example.com/',
    metrics_datasource_name: 'main',
  };

  const updated = await call(clusters.update, siteAdmin, { id: withoutEnv, body });

  expect(updated).toMatchObject({ ...body, ingress_domain: 'apps.example.com' });
  expect(await call(clusters.get, siteAdmin, { id: withoutEnv })).toEqual(updated);
  expect(await audited(service.db, withoutEnv)).toMatchObject([
    { ...byAdmin, action: 'update', env_id: otherEnvId, details: { env_id: [null, otherEnvId] } },
  ]);
});

test('an update of a cluster keeps fields that are absent and clears fields that are null', async () => {
  await call(clusters.update, siteAdmin, { id: inEnv, body: { ingress_class: 'nginx', metrics_url: 'http://m/' } });

  const updated = await call(clusters.update, siteAdmin, { id: inEnv, body: { ingress_class: null } });

  expect(updated).toMatchObject({ ingress_class: null, metrics_url: 'http://m/', env_id: envId });
  expect(await call(clusters.update, siteAdmin, { id: inEnv, body: {} })).toEqual(updated);
});

test.for<[string, object]>([
  ['body.ingress_domain', { ingress_domain: 'not a domain' }],
  ['body.metrics_url', { metrics_url: 'javascript:alert(1)' }],
  ['body.ignore', { ignore: null }],
  ['body.env_id', { env_id: 'x' }],
])('an update of a cluster with an invalid field is refused, and the refusal names it: %s', async ([path, body]) => {
  await expect(call(clusters.update, siteAdmin, { id: inEnv, body })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path }],
  });
});

test.for<[string, Identity]>([
  ['an env admin', sampleIdentities.envAdmin],
  ['a bot', bot],
  ['a deployment', deployment],
])('a cluster is not updated by %s', async ([, identity]) => {
  await expect(call(clusters.update, identity, { id: inEnv, body: {} })).rejects.toMatchObject({ code: 'forbidden' });
});

test('an update of an unknown cluster is not found', async () => {
  await expect(call(clusters.update, siteAdmin, { id: missing, body: {} })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a cluster is not assigned to an unknown env', async () => {
  await expect(call(clusters.update, siteAdmin, { id: inEnv, body: { env_id: missing } })).rejects.toMatchObject({
    code: 'unprocessable',
    errors: [{ path: 'body.env_id' }],
  });
});

test('a cluster is released from an env that is deleted during the assignment', async () => {
  service.onEnvConfirmed = () => (service.envs = []);

  await expect(
    call(clusters.update, siteAdmin, { id: withoutEnv, body: { env_id: otherEnvId } }),
  ).rejects.toMatchObject({
    errors: [{ path: 'body.env_id' }],
  });

  expect(await call(clusters.get, siteAdmin, { id: withoutEnv })).toMatchObject({ env_id: null });
});

test('a cluster with deployments keeps its env, and the refusal names them', async () => {
  service.deployments = ['web-one', 'web-two'];

  for (const env_id of [otherEnvId, null]) {
    await expect(call(clusters.update, siteAdmin, { id: inEnv, body: { env_id } })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The cluster one has deployments: web-one, web-two',
    });
  }
  await expect(
    call(clusters.update, siteAdmin, { id: inEnv, body: { env_id: envId, ignore: true } }),
  ).resolves.toMatchObject({ ignore: true });
});

test('two clusters cannot have the same ingress domain', async () => {
  await call(clusters.update, siteAdmin, { id: inEnv, body: { ingress_domain: 'apps.example.com' } });

  await expect(
    call(clusters.update, siteAdmin, { id: withoutEnv, body: { ingress_domain: 'apps.example.com' } }),
  ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('apps.example.com') });
});

test('a stale If-Match is refused before any other check of the update', async () => {
  service.deployments = ['web-one'];

  await expect(
    call(clusters.update, siteAdmin, { id: inEnv, body: { env_id: null } }, { ifMatch: '"stale"' }),
  ).rejects.toMatchObject({ code: 'stale' });
});

test('a deleted cluster is not found again, and the deletion is audited', async () => {
  await call(clusters.delete, siteAdmin, { id: inEnv });

  await expect(call(clusters.get, siteAdmin, { id: inEnv })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(clusters.delete, siteAdmin, { id: inEnv })).rejects.toMatchObject({ code: 'not_found' });
  expect(await audited(service.db, inEnv)).toMatchObject([
    { ...byAdmin, action: 'delete', env_id: envId, details: { name: ['one', null] } },
  ]);
});

test('a cluster with deployments is not deleted, and the refusal names ten of them', async () => {
  service.deployments = Array.from({ length: 12 }, (_, index) => `web-${index}`);

  await expect(call(clusters.delete, siteAdmin, { id: inEnv })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^The cluster one has deployments: web-0, .*web-9, 2 more$/),
  });
  await expect(call(clusters.get, siteAdmin, { id: inEnv })).resolves.toMatchObject({ id: inEnv });
});

test('only site admins delete a cluster', async () => {
  await expect(call(clusters.delete, bot, { id: inEnv })).rejects.toMatchObject({ code: 'forbidden' });
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
  ])('%s reads the tracked resources only on visible clusters', async ([, identity, names]) => {
    const { items } = await call(resources.list, identity, { query: { sort: 'name' } });

    expect(items.map(({ name }) => name)).toEqual(names);
    const got = await nameOrCode(call(resources.get, identity, { id: podId }));
    expect(got).toBe(names.includes('web-1') ? 'web-1' : 'not_found');
  });

  test('tracked resources are filtered by cluster, deployment, kind and name', async () => {
    const named = async (query: NonNullable<RequestInput<typeof resources.list>['query']>) =>
      (await call(resources.list, siteAdmin, { query })).items.map(({ name }) => name);

    expect(await named({ cluster_id: inEnv })).toEqual(['web-1']);
    expect(await named({ deployment_id: deploymentId })).toEqual(['web-1']);
    expect(await named({ kind: 'service' })).toEqual(['web']);
    expect(await named({ name: 'WEB' })).toEqual(['web']);
    await expect(named({ cluster_id: 'x' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('tasks gets the object of a tracked resource, whatever its env', async () => {
    const now = (resource_id: string) => service.tasks.call(k8sResourceState.operations.now, { body: { resource_id } });

    expect(await now(podId)).toEqual({
      resource: { id: podId, cluster_id: inEnv, deployment_id: deploymentId, kind: 'Pod', name: 'web-1', uid: podId },
    });
    expect(await now(missing)).toEqual({ resource: null });
    await expect(service.auth.call(k8sResourceState.operations.now, { body: { resource_id: podId } })).rejects.toThrow(
      'NATS does not allow auth',
    );
  });

  test('an unknown tracked resource is not found', async () => {
    await expect(call(resources.get, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('auth gets the clusters of an env', async () => {
  const usageOf = (env_id: string) => service.auth.call(clusterUsage.operations.of_env, { body: { env_id } });

  expect(await usageOf(envId)).toEqual({ clusters: { count: 1, names: ['one'] } });
  expect(await usageOf(otherEnvId)).toEqual({ clusters: { count: 0, names: [] } });
});

test('access is not issued to an unknown cluster, or to one that no source lists', async () => {
  const issue = (clusterId: string) =>
    service.runner.call(clusterAccess.operations.issue, { body: claimOn(service, clusterId) });

  await expect(issue(missing)).rejects.toMatchObject({ code: 'not_found' });
  await expect(issue(inEnv)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'No source of clusters names the cluster one now, or its configuration is refused',
  });
});

test('access is issued only for a valid claim, and not to an ignored cluster, which is not named if it is of another env', async () => {
  const { issue } = clusterAccess.operations;
  const claim = claimOn(service, inEnv);

  const guessed = service.runner.call(issue, { body: { ...claim, fence: claim.fence + 1 } });
  await expect(guessed).rejects.toMatchObject({ code: 'conflict' });

  const ignored = await service.addCluster({ name: 'ignored', envId: null });
  await service.db.query(sql.unsafe`update k8s_clusters set ignore = true where id = ${ignored}`);
  await expect(service.runner.call(issue, { body: claimOn(service, ignored) })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Nothing is done on its cluster while it is ignored',
  });
});

test('the gateway may not request access to a cluster', async () => {
  const stolen = gateway.call(clusterAccess.operations.issue, { body: claimOn(service, inEnv) });

  await expect(stolen).rejects.toThrow('NATS does not allow api-gateway to send to');
});

test('every operation of cluster-sync refuses what its contract refuses', async () => {
  const wrong = await answeredUnlikeContract('cluster-sync', (caller, operation, request) =>
    caller === 'nobody' ? gateway.call(operation, request) : call(operation, sampleIdentities[caller], request),
  );

  expect(wrong).toEqual([]);
});
