import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { audited } from '@berth/testing/db/audited';
import { sampleIdentities } from '@berth/testing/test-identities';
import { expect, test } from 'vitest';
import { everybody, filledService, missing, notSiteAdmins } from '../support/filled-service.ts';

const { siteAdmin, outsider, bot } = sampleIdentities;
const { call, registryOf, service, outboxOf } = filledService();
const registries = helmRegistries.operations;

test.for(everybody)('registries are listed and read by %s', async ([, identity]) => {
  const { items } = await call(registries.list, identity, { query: { sort: 'repo_name' } });

  expect(items.map(({ repo_name }) => repo_name)).toEqual(['charts/other', 'charts/web']);
  expect(await call(registries.get, identity, { id: items[0]?.id ?? '' })).toEqual(items[0]);
});

test('registries are filtered by repository and kind', async () => {
  const web = await registryOf('charts/web');

  expect((await call(registries.list, bot, { query: { kind_id: web.kind_id } })).items).toEqual([web]);
  expect((await call(registries.list, bot, { query: { repo_name: 'charts/WEB' } })).items).toEqual([]);
});

test('a new icon of a registry is stored, published and audited', async () => {
  const before = await registryOf('charts/web');
  const { id } = before;

  const updated = await call(registries.update, siteAdmin, { id, body: { fa_icon: ' cubes ' } });

  expect(updated).toMatchObject({ id, fa_icon: 'cubes' });
  expect(await call(registries.get, outsider, { id })).toEqual(updated);
  expect((await outboxOf('helm_registries')).at(-1)).toMatchObject({ id, row: { fa_icon: 'cubes' } });
  expect(await audited(service().db, id)).toMatchObject([
    { actor_kind: 'user', actor_id: siteAdmin.id, action: 'update', details: { fa_icon: [before.fa_icon, 'cubes'] } },
  ]);
});

test('an empty update leaves a registry unchanged', async () => {
  const registry = await registryOf('charts/web');

  expect(await call(registries.update, siteAdmin, { id: registry.id, body: {} })).toEqual(registry);
});

test.for<[string, unknown]>([
  ['body.fa_icon', { fa_icon: '<script>' }],
  ['body.fa_icon', { fa_icon: null }],
  ['body.available', { available: false }],
])('a registry is not updated with an invalid field, and the refusal names it: %s, %o', async ([path, body]) => {
  const { id } = await registryOf('charts/web');

  await expect(call(registries.update, siteAdmin, { id, body: Object(body) })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path }],
  });
});

test.for(notSiteAdmins)('a registry is not changed by %s', async ([, identity]) => {
  const { id } = await registryOf('charts/web');

  await expect(call(registries.update, identity, { id, body: { fa_icon: 'x' } })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('an unknown registry is not found, and a stale If-Match is refused', async () => {
  const { id } = await registryOf('charts/web');

  await expect(call(registries.get, bot, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(registries.update, siteAdmin, { id: missing, body: {} })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(
    call(registries.update, siteAdmin, { id, body: { fa_icon: 'x' } }, { ifMatch: '"old"' }),
  ).rejects.toMatchObject({ code: 'stale' });
});
