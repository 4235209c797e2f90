import type { RequestInput } from '@berth/contracts/definition/contract';
import { chartVersions } from '@berth/contracts/resources/charts/chart-versions';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { everybody, filledService, missing, packaged } from '../support/filled-service.ts';

const { siteAdmin, outsider } = sampleIdentities;
const { call, chartOf, registryOf, scan, server, service } = filledService();
const { list } = chartVersions.operations;

type Query = NonNullable<RequestInput<typeof list>['query']>;
const versions = async (query: Query = {}) => (await call(list, outsider, { query })).items;
const newerThan = async (query: Query = {}) =>
  Object.fromEntries((await versions(query)).map(({ image_tag, newer }) => [image_tag, newer]));

/** Scanned by itself, so that it is newer than what is there. */
async function push(tag: string, more?: Record<string, string>) {
  server().push('charts/web', tag, await packaged(tag, more));
  await scan();
}

test('chart versions are not listed without a credential', async () => {
  await expect(service().callers.gateway.call(list, {})).rejects.toMatchObject({ code: 'unauthenticated' });
});

test.for(everybody)(
  'chart versions are listed by %s: the charts in short, newest first, with their kind',
  async ([, identity]) => {
    const charts = await call(helmCharts.operations.list, siteAdmin, {});
    const kinds = new Map<string, string>();
    for (const repository of ['charts/web', 'charts/other']) {
      const { id, kind_id } = await registryOf(repository);
      kinds.set(id, kind_id);
    }

    expect(await call(list, identity, {})).toEqual({
      ...charts,
      items: charts.items.map((chart) => ({
        id: chart.id,
        created_at: chart.created_at,
        helm_registry_id: chart.helm_registry_id,
        kind_id: kinds.get(chart.helm_registry_id),
        image_tag: chart.image_tag,
        image_digest: chart.image_digest,
        available: true,
        has_error: false,
        parsed_version: chart.parsed_version,
        parsed_branch: chart.parsed_branch,
        parsed_commit: null,
        newer: 0,
      })),
    });
  },
);

test('newer charts are counted of the same registry and branch, and those without a branch among themselves', async () => {
  await push('2.0.0-main.2');
  await push('2.0.0-main.3');
  await push('1.1.0');

  expect(await newerThan({ helm_registry_id: (await registryOf('charts/web')).id })).toEqual({
    '1.0.0': 1,
    '1.1.0': 0,
    '2.0.0-main.1': 2,
    '2.0.0-main.2': 1,
    '2.0.0-main.3': 0,
  });
  expect(await newerThan({ helm_registry_id: (await registryOf('charts/other')).id })).toEqual({ '1.0.0': 0 });
});

test('newer charts that are unavailable or have an error do not count, but have a number themselves', async () => {
  await push('2.0.0-main.2', { 'berth/values-ui.yaml': 'kind: Nothing' });
  await push('2.0.0-main.3');
  await push('2.0.0-main.4');
  server().untag('charts/web', '2.0.0-main.3');
  await scan();

  const ofMain = await versions({ parsed_branch: 'main' });
  expect(ofMain.map(({ image_tag, available, has_error, newer }) => [image_tag, available, has_error, newer])).toEqual([
    ['2.0.0-main.4', true, false, 0],
    ['2.0.0-main.3', false, false, 1],
    ['2.0.0-main.2', true, true, 1],
    ['2.0.0-main.1', true, false, 1],
  ]);
});

test.for([
  ['2.0.0-main.1', 'main'],
  ['1.0.0', null],
] as const)('no more than 100 newer charts are counted, as for %s', async ([tag, branch]) => {
  const { id, helm_registry_id } = await chartOf(tag);
  await service().db.query(sql.unsafe`
    insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
      parsed_branch)
    select ${helm_registry_id}, n, 'many ' || n, n, true, 1, ${branch} from generate_series(1, 150) n
  `);

  expect(await versions({ ids: id })).toMatchObject([{ id, newer: 100 }]);
  expect(await newerThan({ ids: [(await chartOf('1.0.0', 'charts/other')).id] })).toEqual({ '1.0.0': 0 });
});

test('chart versions are filtered by ids, registry, kind, branch and availability', async () => {
  const other = await registryOf('charts/other');
  const [web, onMain] = [await chartOf('1.0.0'), await chartOf('2.0.0-main.1')];
  server().untag('charts/web', '1.0.0');
  await scan();
  const ids = async (query: Query) => (await versions(query)).map(({ id }) => id);

  expect((await ids({ ids: `${web.id},${missing},${onMain.id}` })).toSorted()).toEqual([web.id, onMain.id].toSorted());
  expect(await ids({ ids: [web.id], available: true })).toEqual([]);
  expect(await ids({ available: false })).toEqual([web.id]);
  expect(await ids({ parsed_branch: 'main' })).toEqual([onMain.id]);
  expect((await versions({ kind_id: other.kind_id })).map((chart) => chart.helm_registry_id)).toEqual([other.id]);
  expect((await versions({ helm_registry_id: other.id })).map((chart) => chart.kind_id)).toEqual([other.kind_id]);
  expect(await ids({ kind_id: missing })).toEqual([]);
});

test('chart versions come in pages, with the number of all', async () => {
  const all = await versions();
  const first = await call(list, outsider, { query: { per_page: 2, after: '' } });
  const second = await call(list, outsider, { query: { per_page: 2, after: first.next ?? '' } });

  expect([...first.items, ...second.items]).toEqual(all);
  expect([first.num_total, second.num_total, second.next]).toEqual([3, 3, null]);
  expect((await versions({ sort: 'created_at' })).toReversed()).toEqual(all);
});

test.for<[string, object]>([
  ['query.ids', { ids: 'x' }],
  ['query.kind_id', { kind_id: 'x' }],
  ['query.available', { available: 'perhaps' }],
  ['query.sort', { sort: 'newer' }],
  ['query.image_tag', { image_tag: '1.0.0' }],
])('chart versions are not listed with an invalid filter, and the refusal names it: %s', async ([path, query]) => {
  await expect(call(list, siteAdmin, { query })).rejects.toMatchObject({ code: 'invalid', errors: [{ path }] });
});
