import { etagOf } from '@berth/bus/rpc/etag';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import { audited } from '@berth/testing/db/audited';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterEach, expect, test } from 'vitest';
import { everybody, filledService, missing, notSiteAdmins } from '../support/filled-service.ts';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';

const { siteAdmin, bot } = sampleIdentities;
const { call, chartOf, registryOf, service, outboxOf } = filledService();
const charts = helmCharts.operations;
const formats = helmTagFormats.operations;

const pattern = '^(?P<version>\\d+)\\.(?:.*)-(?<branch>[a-z]+)\\.\\d+$';
const added: string[] = [];
const add = async (body = { pattern }) => {
  const format = await call(formats.create, siteAdmin, { body });
  added.push(format.id);
  return format;
};
afterEach(async () => {
  for (const id of added.splice(0)) await call(formats.delete, siteAdmin, { id }).catch(() => undefined);
});

test.for(everybody)('tag formats are listed and read by %s', async ([, identity]) => {
  const { items } = await call(formats.list, identity, {});

  expect(items).toHaveLength(2);
  expect(items[0]?.pattern).toContain('-g(?<commit>');
  expect(await call(formats.get, identity, { id: items[0]?.id ?? '' })).toEqual(items[0]);
  expect((await call(formats.list, identity, { query: { pattern: items[1]?.pattern } })).items).toEqual([items[1]]);
});

test('a tag format is deleted only with the ETag of its row', async () => {
  const { id } = await add();
  const ifMatch = etagOf(helmTagFormats, await call(formats.get, siteAdmin, { id })) ?? '';

  const stale = call(formats.delete, siteAdmin, { id }, { ifMatch: '"other"' });
  await expect(stale).rejects.toMatchObject({ code: 'stale' });
  await expect(call(formats.delete, siteAdmin, { id }, { ifMatch })).resolves.toBeNull();
});

test('creating and deleting a tag format reparses the tags of all charts', async () => {
  const before = await chartOf('2.0.0-main.1');
  expect(before).toMatchObject({ parsed_version: '2.0.0', parsed_revision: '1' });
  const published = await outboxOf('helm_charts');

  const format = await add();
  await service().reparseTags();
  expect(await chartOf('2.0.0-main.1')).toMatchObject({
    tag_format_id: format.id,
    parsed_version: '2',
    parsed_branch: 'main',
    parsed_revision: null,
    parsed_commit: null,
  });
  expect((await outboxOf('helm_tag_formats')).at(-1)).toMatchObject({ id: format.id, operation: 'INSERT' });
  const publishedNow = await outboxOf('helm_charts');
  expect(publishedNow.filter(({ id }) => id === before.id)).toMatchObject([{ row: { parsed_version: '2' } }]);
  expect(publishedNow.filter(({ id }) => id !== before.id)).toEqual(published.filter(({ id }) => id !== before.id));

  await call(formats.delete, siteAdmin, { id: format.id });
  await service().reparseTags();
  expect(await chartOf('2.0.0-main.1')).toEqual(before);
  await expect(call(formats.get, bot, { id: format.id })).rejects.toMatchObject({ code: 'not_found' });
  expect((await outboxOf('helm_tag_formats')).at(-1)).toMatchObject({ id: format.id, operation: 'DELETE' });
  const byAdmin = { actor_kind: 'user', actor_id: siteAdmin.id, resource: 'helm_tag_formats' };
  expect(await audited(service().db, format.id)).toMatchObject([
    { ...byAdmin, action: 'create', details: { pattern: [null, pattern] } },
    { ...byAdmin, action: 'delete', details: { pattern: [pattern, null] } },
  ]);
});

test('a new tag format reparses more charts than fit into one batch', async () => {
  await service().db.query(sql.unsafe`
      insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision)
      select ${(await registryOf('charts/web')).id}, 'sha256:' || i, i || '.x-main.1', 'sha256:x', true, 0
      from generate_series(1, 250) i
    `);

  const format = await add();
  await service().reparseTags();

  const parsed = await call(charts.list, bot, { query: { parsed_branch: 'main', per_page: 1 } });
  expect(parsed.num_total).toBe(251);
  expect(parsed.items[0]?.tag_format_id).toBe(format.id);
});

test('two tag formats cannot have the same pattern', async () => {
  await add();

  await expect(call(formats.create, siteAdmin, { body: { pattern } })).rejects.toMatchObject({
    code: 'conflict',
    message: 'This tag format already exists',
  });
});

test.for([
  ['without a version', '(?<branch>.+)'],
  ['that backtracks', '(?<version>a)(?=x)'],
  ['that refers back', '(?<version>a)\\1'],
  ['that is huge', '(?<version>(a{1000}){1000})'],
  ['with an unclosed group', '(?<version>'],
  ['that is empty', ''],
  ['that is too long', `(?<version>${'a'.repeat(500)})`],
  ['with a NUL', '(?<version>\0)'],
] as const)('a tag format %s is refused', async ([, wrong]) => {
  const before = process.threadCpuUsage();

  await expect(call(formats.create, siteAdmin, { body: { pattern: wrong } })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ path: 'body.pattern' }],
  });

  expect(cpuMsSince(before)).toBeLessThan(250);
});

test.for(notSiteAdmins)('a tag format is neither created nor deleted by %s', async ([, identity]) => {
  const { id } = await add();

  await expect(call(formats.create, identity, { body: { pattern: 'x' } })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(call(formats.delete, identity, { id })).rejects.toMatchObject({ code: 'forbidden' });
});

test('an unknown tag format is not found', async () => {
  await expect(call(formats.get, bot, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(formats.delete, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
});
