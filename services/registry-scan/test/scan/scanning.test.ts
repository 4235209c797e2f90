import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { expect, test } from 'vitest';
import { scanTag } from '../../src/scan/scan-tag.ts';
import { imageManifest } from '../support/oci-server.ts';
import { summary, registryInTest, web } from '../support/registry-in-test.ts';

const { charts, markPublished, makeRechecksDue, unpublished, registries, registry, scan, server, service, outbox } =
  registryInTest();

test('a new chart is published with its registry and kind', async () => {
  const features = 'apiVersion: berth.dev/v1beta2\nkind: Features\nspec: { cardinality: OnePerCluster }';
  const { digest, archiveDigest } = server().push(
    'team/two-words-charts',
    '1.0.0',
    await web('1.0.0', { 'berth/features.yaml': features }),
  );

  await scan();

  const [found] = await registries();
  expect(found).toMatchObject({
    domain_name: server().source.domain,
    repo_name: 'team/two-words-charts',
    available: true,
    fa_icon: 'question',
    provider: 'Oci',
  });
  const identity = await identityToken(sampleIdentities.bot, 'registry-scan');
  const kinds = await service().callers.gateway.call(deploymentKinds.operations.list, {}, { identityToken: identity });
  expect(kinds.items).toMatchObject([{ id: found?.kind_id, name: 'TwoWords' }]);
  expect(await charts()).toMatchObject([
    {
      helm_registry_id: found?.id,
      image_digest: digest,
      image_tag: '1.0.0',
      available: true,
      error: null,
      features: { cardinality: 'OnePerCluster' },
      values_ui: null,
      parsed_version: '1.0.0',
    },
  ]);
  expect(await outbox()).toEqual([
    { resource: 'deployment_kinds', operation: 'INSERT' },
    { resource: 'helm_registries', operation: 'INSERT' },
    { resource: 'helm_charts', operation: 'INSERT' },
  ]);
  expect(await service().bus.objects.get(archiveDigest)).not.toBeNull();
});

test('a second scan without changes publishes nothing and reads no manifest again', async () => {
  server().push('charts/web', '1.0.0', await web());
  server().pushManifest('charts/web', 'image', imageManifest);
  await scan();
  await markPublished();
  const before = server().requests.length;

  await scan();

  expect(
    server()
      .requests.slice(before)
      .map(({ line }) => line),
  ).toEqual(['GET /v2/_catalog?n=1000', 'GET /v2/charts/web/tags/list?n=1000']);
  expect(await unpublished()).toEqual([]);
});

test('concurrent scans record each chart once', async () => {
  for (const tag of ['1.0.0', '1.0.1', '1.0.2', '1.0.3']) server().push('charts/web', tag, await web(tag));

  await Promise.all([scan(), scan(), scan()]);

  expect(summary(await charts())).toEqual(['1.0.0 true', '1.0.1 true', '1.0.2 true', '1.0.3 true']);
  expect(await registries()).toHaveLength(1);
  const inserted = (await outbox()).filter(({ operation }) => operation === 'INSERT');
  expect(inserted).toHaveLength(6);
  expect(await outbox()).toHaveLength(6);
});

test('images create neither registries nor kinds', async () => {
  server().pushManifest('images/nginx', '1.27', imageManifest);

  await scan();

  expect(await registries()).toEqual([]);
  expect(await outbox()).toEqual([]);
});

test('a second tag of the same manifest is a separate chart, and its package is fetched once', async () => {
  server().push('charts/web', '1.0.0', await web());
  await scan();
  server().push('charts/web', 'stable', await web());

  await scan();

  expect(summary(await charts())).toEqual(['1.0.0 true', 'stable true']);
  expect(server().requests.filter(({ line }) => line.includes('/blobs/'))).toHaveLength(1);
});

test('the package of many new tags of one manifest is fetched once', async () => {
  const tags = ['1', '2', '3', '4'];
  const archive = await web();
  for (const tag of tags) server().push('charts/web', tag, archive);
  const manifests = () => server().requests.filter(({ line }) => line.includes('/manifests/'));
  async function sendLate(response: ServerResponse): Promise<void> {
    await expect.poll(manifests, { interval: 10, timeout: 10_000 }).toHaveLength(tags.length);
    await sleep(200);
    response.end(archive);
  }
  server().misbehave(({ url }, response) => (url?.includes('/blobs/') ? void sendLate(response) : false));

  await scan();

  expect(summary(await charts())).toEqual(tags.map((tag) => `${tag} true`));
  expect(server().requests.filter(({ line }) => line.includes('/blobs/'))).toHaveLength(1);
});

test('a moved tag makes its old chart unavailable', async () => {
  const first = server().push('charts/web', 'latest', await web('1.0.0'));
  await scan();
  const second = server().push('charts/web', 'latest', await web('2.0.0'));
  await makeRechecksDue();

  await scan();

  const byDigest = new Map((await charts()).map((chart) => [chart.image_digest, chart.available]));
  expect(byDigest).toEqual(
    new Map([
      [first.digest, false],
      [second.digest, true],
    ]),
  );

  server().push('charts/web', 'latest', await web('1.0.0'));
  await makeRechecksDue();
  await scan();
  expect(new Map((await charts()).map((chart) => [chart.image_digest, chart.available]))).toEqual(
    new Map([
      [first.digest, true],
      [second.digest, false],
    ]),
  );
});

test('a tag that becomes an image makes its chart unavailable', async () => {
  server().push('charts/web', 'latest', await web());
  await scan();
  server().pushManifest('charts/web', 'latest', imageManifest);
  await makeRechecksDue();

  await scan();

  expect(summary(await charts())).toEqual(['latest false']);
});

test('the chart of a deleted tag becomes unavailable, and available again when the tag is back', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));
  await scan();

  server().untag('charts/web', '1.0.0');
  await scan();
  expect(summary(await charts())).toEqual(['1.0.0 false', '1.1.0 true']);

  server().push('charts/web', '1.0.0', await web('1.0.0'));
  await scan();
  expect(summary(await charts())).toEqual(['1.0.0 true', '1.1.0 true']);
});

test('a repository that the registry reports as missing is unavailable with its charts until it is back', async () => {
  server().push('charts/web', '1.0.0', await web());
  await scan();

  server().removeRepository('charts/web');
  await scan();
  expect(summary(await charts())).toEqual(['1.0.0 false']);
  expect(await registries()).toMatchObject([{ available: false }]);

  server().push('charts/web', '1.0.0', await web());
  await scan();
  expect(summary(await charts())).toEqual(['1.0.0 true']);
  expect(await registries()).toMatchObject([{ available: true }]);
});

test('only repositories with the configured prefix are scanned', async () => {
  server().push('charts/web', '1.0.0', await web());
  server().push('other/web', '1.0.0', await web());
  await scan({ repositoryPrefix: 'charts/' });

  expect((await registries()).map(({ repo_name }) => repo_name)).toEqual(['charts/web']);
});

test('a registry without a catalogue is scanned by its configured repositories', async () => {
  server().push('charts/web', '1.0.0', await web());
  server().push('other/web', '1.0.0', await web());
  await scan({ repositories: ['charts/web', 'charts/none'] });

  expect((await registries()).map(({ repo_name }) => repo_name)).toEqual(['charts/web']);
  expect(server().requests.some(({ line }) => line.includes('_catalog'))).toBe(false);
});

test('a late observation does not undo a newer one', async () => {
  const old = server().push('charts/web', 'latest', await web('1.0.0'));
  const name = { domain: server().source.domain, repository: 'charts/web', tag: 'latest' };
  // Timestamps have milliseconds; the late observation is clearly older than the one below.
  const before = new Date(Date.parse(await service().scan.tagRepository.now()) - 1).toISOString();
  server().push('charts/web', 'latest', await web('2.0.0'));
  await scanTag(service().scan, registry(), name, AbortSignal.timeout(10_000));
  await markPublished();

  await service().scan.catalogue.recordTag(name, {
    digest: old.digest,
    provider: 'Oci',
    chart: null,
    observedAt: before,
  });
  await service().scan.catalogue.removeTags(name, ['latest'], before);
  await service().scan.catalogue.removeRepository(name, before);

  expect(await charts()).toMatchObject([{ available: true, parsed_version: '2.0.0' }]);
  expect(await registries()).toMatchObject([{ available: true }]);
  expect(await unpublished()).toEqual([]);
});
