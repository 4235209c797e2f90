import type { RequestInput } from '@berth/contracts/definition/contract';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { everybody, filledService, missing } from '../support/filled-service.ts';

const { siteAdmin, outsider } = sampleIdentities;
const { call, chartOf, registryOf, scan, server, service } = filledService();
const charts = helmCharts.operations;

test('charts are not listed without a credential', async () => {
  await expect(service().callers.gateway.call(charts.list, {})).rejects.toMatchObject({ code: 'unauthenticated' });
});

test.for(everybody)('charts are listed and read by %s', async ([, identity]) => {
  const { items, num_total } = await call(charts.list, identity, {});

  expect(num_total).toBe(3);
  const [first] = items;
  expect(await call(charts.get, identity, { id: first?.id ?? '' })).toEqual(first);
});

test('charts are filtered by registry, kind, branch, availability and use', async () => {
  const other = await registryOf('charts/other');
  const used = await chartOf('1.0.0');
  await service().db.query(sql.unsafe`
      insert into deployment_projection (id, version, deleted, helm_chart_id)
      values (gen_random_uuid(), 1, false, ${used.id}), (gen_random_uuid(), 1, true, ${(await chartOf('1.0.0', 'charts/other')).id})
    `);
  server().untag('charts/web', '1.0.0');
  await scan();
  const tags = async (query: NonNullable<RequestInput<typeof charts.list>['query']>) =>
    (await call(charts.list, outsider, { query: { sort: 'image_tag', ...query } })).items.map(
      ({ image_tag, helm_registry_id }) => `${helm_registry_id === other.id ? 'other' : 'web'} ${image_tag}`,
    );

  expect(await tags({ helm_registry_id: other.id })).toEqual(['other 1.0.0']);
  expect(await tags({ kind_id: other.kind_id })).toEqual(['other 1.0.0']);
  expect(await tags({ image_tag: '1.0.0' })).toEqual(expect.arrayContaining(['web 1.0.0', 'other 1.0.0']));
  expect(await tags({ image_tag: '1.0' })).toEqual([]);
  expect(await tags({ parsed_version: '2.0.0' })).toEqual(['web 2.0.0-main.1']);
  expect(await tags({ parsed_version: '2.0.0', image_tag: '1.0.0' })).toEqual([]);
  expect(await tags({ parsed_branch: 'main' })).toEqual(['web 2.0.0-main.1']);
  expect(await tags({ available: false })).toEqual(['web 1.0.0']);
  expect(await tags({ in_use: true })).toEqual(['web 1.0.0']);
  expect(await tags({ in_use: false, available: true, parsed_branch: 'main' })).toEqual(['web 2.0.0-main.1']);
  expect(await tags({ kind_id: missing })).toEqual([]);
});

test('charts are listed newest first, in pages', async () => {
  const all = await call(charts.list, outsider, {});
  const pages = [
    await call(charts.list, outsider, { query: { per_page: 2 } }),
    await call(charts.list, outsider, { query: { per_page: 2, page: 2 } }),
  ];

  expect(pages.flatMap(({ items }) => items)).toEqual(all.items);
  expect(pages.map(({ num_total }) => num_total)).toEqual([3, 3]);
});

test.for<[string, object]>([
  ['query.helm_registry_id', { helm_registry_id: 'x' }],
  ['query.in_use', { in_use: 'perhaps' }],
  ['query.nope', { nope: 1 }],
  ['query.sort', { sort: 'error' }],
])('charts are not listed with an invalid filter, and the refusal names it: %s', async ([path, query]) => {
  await expect(call(charts.list, siteAdmin, { query })).rejects.toMatchObject({ code: 'invalid', errors: [{ path }] });
});

test('an unknown chart is not found', async () => {
  await expect(call(charts.get, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
});
