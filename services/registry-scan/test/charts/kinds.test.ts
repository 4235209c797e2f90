import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { audited } from '@berth/testing/db/audited';
import { answeredUnlikeContract } from '@berth/testing/contracts/refusals';
import { sampleIdentities } from '@berth/testing/test-identities';
import { expect, test } from 'vitest';
import { everybody, filledService, missing, notSiteAdmins, packaged } from '../support/filled-service.ts';

const { siteAdmin, bot } = sampleIdentities;
const { call, registryOf, scan, server, service, outboxOf } = filledService();
const charts = helmCharts.operations;
const kinds = deploymentKinds.operations;

test.for(everybody)('kinds are listed and read by %s', async ([, identity]) => {
  const { items } = await call(kinds.list, identity, { query: { sort: 'name' } });

  expect(items.map(({ name }) => name)).toEqual(['Other', 'Web']);
  expect(await call(kinds.get, identity, { id: items[0]?.id ?? '' })).toEqual(items[0]);
});

test('kinds are found by name, ignoring case', async () => {
  expect((await call(kinds.list, bot, { query: { name: 'WEB' } })).items).toMatchObject([{ name: 'Web' }]);
  expect((await call(kinds.list, bot, { query: { name: 'we' } })).items).toEqual([]);
});

test('a renamed kind is published and keeps its charts', async () => {
  const { kind_id: id } = await registryOf('charts/web');

  expect(await call(kinds.update, siteAdmin, { id, body: { name: ' Website ' } })).toMatchObject({
    id,
    name: 'Website',
  });

  expect((await outboxOf('deployment_kinds')).at(-1)).toMatchObject({ id, row: { name: 'Website' } });
  expect(await audited(service().db, id)).toMatchObject([
    { actor_kind: 'user', actor_id: siteAdmin.id, action: 'update', details: { name: ['Web', 'Website'] } },
  ]);
  server().push('charts/web', '3.0.0', await packaged('3.0.0'));
  await scan();
  expect((await call(charts.list, bot, { query: { kind_id: id } })).num_total).toBe(3);
});

test('two kinds cannot have the same name', async () => {
  const { kind_id: id } = await registryOf('charts/web');

  await expect(call(kinds.update, siteAdmin, { id, body: { name: 'Other' } })).rejects.toMatchObject({
    code: 'conflict',
    message: 'A deployment kind named Other already exists',
  });
});

test.for<[string, object]>([
  ['body.name', {}],
  ['body.name', { name: ' ' }],
  ['body.name', { name: 'x'.repeat(101) }],
  ['body.id', { name: 'x', id: missing }],
])('a kind is not updated with an invalid field, and the refusal names it: %s, %o', async ([path, body]) => {
  const { kind_id: id } = await registryOf('charts/web');

  await expect(call(kinds.update, siteAdmin, { id, body: Object(body) })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path }],
  });
});

test.for(notSiteAdmins)('a kind is not renamed by %s', async ([, identity]) => {
  const { kind_id: id } = await registryOf('charts/web');

  await expect(call(kinds.update, identity, { id, body: { name: 'x' } })).rejects.toMatchObject({ code: 'forbidden' });
});

test('an unknown kind is not found, and a stale If-Match is refused', async () => {
  const { kind_id: id } = await registryOf('charts/web');
  const body = { name: 'x' };

  await expect(call(kinds.get, bot, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(kinds.update, siteAdmin, { id: missing, body })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(kinds.update, siteAdmin, { id, body }, { ifMatch: '"old"' })).rejects.toMatchObject({
    code: 'stale',
  });
});

test('every operation of registry-scan refuses what its contract refuses', async () => {
  const { gateway } = service().callers;
  const wrong = await answeredUnlikeContract('registry-scan', (caller, operation, request) =>
    caller === 'nobody' ? gateway.call(operation, request) : call(operation, sampleIdentities[caller], request),
  );

  expect(wrong).toEqual([]);
});
