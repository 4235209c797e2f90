import { randomUUID } from 'node:crypto';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import type { Identity } from '@berth/contracts/access/identity';
import type { Operation, OperationSpec, RequestInput } from '@berth/contracts/definition/contract';
import { AppError } from '@berth/contracts/errors';
import { clusterRoleGrants } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { envs } from '@berth/contracts/resources/envs/envs';
import { audited } from '@berth/testing/db/audited';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { envProjection } from '../../src/envs/env-projection.ts';
import { type ServiceInTest, startServiceInTest } from '../support/service-in-test.ts';

const { envId, otherEnvId, kindId } = samplePlaces;
const { siteAdmin, envAdmin, envUser, outsider, bot, deployment } = sampleIdentities;
const { list, get, create, delete: revoke } = clusterRoleGrants.operations;
const body = { env_id: envId, kind_id: kindId, cluster_role: 'widgets:operator.v1', scope: 'Cluster' as const };

let service: ServiceInTest;

beforeAll(async () => {
  service = await startServiceInTest();
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.db.query(sql.unsafe`truncate cluster_role_grants, env_projection`);
  service.envs = [envId, otherEnvId];
  service.kinds = [kindId];
  service.places.clear();
});

async function call<S extends OperationSpec>(
  operation: Operation<S>,
  identity: Identity,
  request: RequestInput<S>,
  options: CallOptions = {},
) {
  const token = await identityToken(identity, 'cluster-sync');
  return service.gateway.call(operation, request, { identityToken: token, ...options });
}

const rolesSeenBy = async (identity: Identity, query: RequestInput<typeof list>['query'] = {}) =>
  (await call(list, identity, { query: { sort: 'cluster_role', ...query } })).items.map((one) => one.cluster_role);

test('a site admin grants a ClusterRole to a kind in an env, reads the grant, and revokes it; the audit log has both', async () => {
  const grant = await call(create, siteAdmin, { body });

  expect(grant).toMatchObject(body);
  expect(await call(get, siteAdmin, { id: grant.id })).toEqual(grant);
  expect(await call(revoke, siteAdmin, { id: grant.id })).toBeNull();
  await expect(call(get, siteAdmin, { id: grant.id })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(revoke, siteAdmin, { id: grant.id })).rejects.toMatchObject({ code: 'not_found' });
  const by = { actor_kind: 'user', actor_id: siteAdmin.id, resource: 'cluster_role_grants', env_id: envId };
  expect(await audited(service.db, grant.id)).toMatchObject([
    { ...by, action: 'create', details: { cluster_role: [null, body.cluster_role], scope: [null, 'Cluster'] } },
    { ...by, action: 'delete', details: { cluster_role: [body.cluster_role, null] } },
  ]);
});

test('the creation and the revocation of a grant are published with its env', async () => {
  const published = sql.type(z.object({ env_id: z.string(), operation: z.string() }));
  const lastOf = (id: string) => service.db.one(published`select env_id, operation from outbox where id = ${id}`);

  const { id } = await call(create, siteAdmin, { body });
  expect(await lastOf(id)).toEqual({ env_id: envId, operation: 'INSERT' });
  await call(revoke, siteAdmin, { id });
  expect(await lastOf(id)).toEqual({ env_id: envId, operation: 'DELETE' });
});

test.for<[string, Identity]>([
  ['an env admin', envAdmin],
  ['a member of the env', envUser],
  ['a bot', bot],
  ['a deployment of the env', deployment],
])('%s can read the grants of the env, but not create or revoke them', async ([, identity]) => {
  const grant = await call(create, siteAdmin, { body });

  expect(await rolesSeenBy(identity)).toEqual([body.cluster_role]);
  expect(await call(get, identity, { id: grant.id })).toEqual(grant);
  await expect(call(create, identity, { body })).rejects.toMatchObject({ code: 'forbidden' });
  await expect(call(revoke, identity, { id: grant.id })).rejects.toMatchObject({ code: 'forbidden' });
});

test('grants of an env are hidden from users who are not members of it', async () => {
  const { id } = await call(create, siteAdmin, { body });

  expect(await rolesSeenBy(outsider)).toEqual([]);
  await expect(call(get, outsider, { id })).rejects.toMatchObject({ code: 'not_found' });
});

test.for<[string, object]>([
  ['body.cluster_role', { cluster_role: '..' }],
  ['body.cluster_role', { cluster_role: 'a/b' }],
  ['body.cluster_role', { cluster_role: 'Upper' }],
  ['body.cluster_role', { cluster_role: 'a'.repeat(254) }],
  ['body.scope', { scope: 'Everywhere' }],
  ['body.env_id', { env_id: 'x' }],
])('a grant with an invalid field is refused, and the refusal names it: %s', async ([path, wrong]) => {
  await expect(call(create, siteAdmin, { body: { ...body, ...wrong } })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path }],
  });
});

test('a request for grants without a credential is unauthenticated', async () => {
  await expect(service.gateway.call(list, { query: {} })).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(service.gateway.call(create, { body })).rejects.toMatchObject({ code: 'unauthenticated' });
});

test.for(['env_id', 'kind_id'] as const)(
  'a grant with an unknown %s is refused, and the refusal names it',
  async (field) => {
    await expect(call(create, siteAdmin, { body: { ...body, [field]: randomUUID() } })).rejects.toMatchObject({
      code: 'unprocessable',
      errors: [{ path: `body.${field}` }],
    });
  },
);

test('the same grant cannot exist twice, but one with another scope, env or role can', async () => {
  await call(create, siteAdmin, { body });

  await expect(call(create, siteAdmin, { body })).rejects.toMatchObject({ code: 'conflict' });
  for (const other of [{ scope: 'Namespace' as const }, { env_id: otherEnvId }, { cluster_role: 'other' }])
    await expect(call(create, siteAdmin, { body: { ...body, ...other } })).resolves.toMatchObject(other);
});

test('a kind has at most twenty grants in an env', async () => {
  await service.db.query(sql.unsafe`
    insert into cluster_role_grants (env_id, kind_id, cluster_role, scope)
    select ${envId}, ${kindId}, 'role-' || n, 'Cluster' from generate_series(1, 20) n
  `);

  await expect(call(create, siteAdmin, { body })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('20 grants'),
  });
});

test('a repeated creation with the same Idempotency-Key answers the same grant', async () => {
  const idempotencyKey = randomUUID();

  const grant = await call(create, siteAdmin, { body }, { idempotencyKey });

  expect(await call(create, siteAdmin, { body }, { idempotencyKey })).toEqual(grant);
});

test('grants are filtered by env, kind and the deployment to which they apply', async () => {
  const otherKind = randomUUID();
  service.kinds.push(otherKind);
  for (const [role, scope] of [
    ['a', { env_id: envId, kind_id: kindId }],
    ['b', { env_id: otherEnvId, kind_id: kindId }],
    ['c', { env_id: envId, kind_id: otherKind }],
  ] as const)
    await call(create, siteAdmin, { body: { ...scope, cluster_role: role, scope: 'Namespace' } });
  const id = randomUUID();
  service.places.set(id, {
    id,
    kind_id: kindId,
    env_id: otherEnvId,
    cluster_id: randomUUID(),
    namespace: 'web',
    status: 'Running',
    revision_id: null,
  });

  expect(await rolesSeenBy(siteAdmin, { env_id: envId })).toEqual(['a', 'c']);
  expect(await rolesSeenBy(siteAdmin, { kind_id: kindId })).toEqual(['a', 'b']);
  expect(await rolesSeenBy(siteAdmin, { deployment_id: id })).toEqual(['b']);
  expect(await rolesSeenBy(siteAdmin, { deployment_id: id, env_id: envId })).toEqual([]);
  expect(await rolesSeenBy(siteAdmin, { deployment_id: randomUUID() })).toEqual([]);
  expect(await rolesSeenBy(envUser, { deployment_id: id })).toEqual([]);
  await expect(rolesSeenBy(siteAdmin, { deployment_id: 'x' })).rejects.toMatchObject({ code: 'invalid' });
});

test('grants are deleted with their env, and are not created for an env that is deleted meanwhile', async () => {
  const { id } = await call(create, siteAdmin, { body });
  const gone = { resource: envs.name, id: envId, version: 2, env_id: envId, operation: 'DELETE' as const, row: {} };
  await envProjection.apply(service.db, gone);

  await expect(call(get, siteAdmin, { id })).rejects.toMatchObject({ code: 'not_found' });
  // Auth has not heard of the deletion yet.
  await expect(call(create, siteAdmin, { body })).rejects.toMatchObject({ errors: [{ path: 'body.env_id' }] });
});

test('a grant is not created while the owner of kinds does not answer', async () => {
  service.kinds = [];
  service.beforeKind = () => Promise.reject(new AppError('unavailable', 'The database does not answer'));
  try {
    await expect(call(create, siteAdmin, { body })).rejects.toMatchObject({ code: 'unavailable' });
  } finally {
    service.beforeKind = async () => undefined;
  }
});
