import { expect, test } from 'vitest';
import { scanRegistry } from '../src/scan/scan-registry.ts';
import { type OciServer, sendJson, startOciServer } from './support/oci-server.ts';
import { summary, registryInTest, web } from './support/registry-in-test.ts';

const { charts, markPublished, makeRechecksDue, unpublished, registries, scan, server, service } = registryInTest();

/** More tags than are in flight at once. */
const others = Array.from({ length: 8 }, (_, patch) => `1.0.${patch}`);

const failingAt =
  (status: number, isBroken: (path: string) => boolean): Parameters<OciServer['misbehave']>[0] =>
  (request, response) =>
    isBroken(request.url ?? '') ? void response.writeHead(status, { 'retry-after': '0' }).end() : false;

/** The requests for manifests, such as `HEAD 1.0.0`. */
const manifestRequestsSince = (count: number): string[] =>
  server()
    .requests.slice(count)
    .flatMap(({ line }) => {
      const [, method, tag] = /^(GET|HEAD) .*\/manifests\/(.+)$/.exec(line) ?? [];
      return tag === undefined ? [] : [`${method} ${tag}`];
    });

test.for<[string, (server: OciServer) => void]>([
  [
    'answers 503',
    ({ misbehave }) => misbehave((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end()),
  ],
  [
    'answers 404 without an error code',
    ({ misbehave }) => misbehave((_, response) => void response.writeHead(404).end()),
  ],
  ['refuses access', ({ misbehave }) => misbehave((_, response) => void response.writeHead(403).end())],
  [
    'lists its repositories but not their tags',
    ({ misbehave }) =>
      misbehave((request, response) =>
        request.url?.includes('_catalog') ? false : void response.writeHead(502, { 'retry-after': '0' }).end(),
      ),
  ],
  [
    'has an empty catalogue, and answers 404 with HTML for the repository',
    ({ misbehave }) =>
      misbehave((request, response) =>
        request.url?.includes('_catalog')
          ? sendJson(response, 200, { repositories: [] })
          : void response.writeHead(404).end('<html>'),
      ),
  ],
])('charts stay available if the registry %s', async ([, breakIt]) => {
  server().push('charts/web', '1.0.0', await web());
  await scan();
  await markPublished();
  breakIt(server());

  await expect(scan()).rejects.toThrow(server().source.domain);

  expect(summary(await charts())).toEqual(['1.0.0 true']);
  expect(await unpublished()).toEqual([]);
});

test('a repository that fails does not affect the scan of the others', async () => {
  server().push('charts/broken', '1.0.0', await web());
  server().push('charts/web', '1.0.0', await web());
  server().misbehave((request, response) =>
    request.url?.includes('charts/broken') ? void response.writeHead(500).end() : false,
  );

  await scan();

  expect((await registries()).map(({ repo_name }) => repo_name)).toEqual(['charts/web']);
});

test('a registry that sends its packages slowly does not delay the scan of another', async () => {
  await using slow = await startOciServer();
  const blobRequests = () => slow.requests.filter(({ line }) => line.includes('/blobs/')).length;
  slow.misbehave((request) => (request.url?.includes('/blobs/') ? undefined : false));
  for (const tag of others) slow.push('charts/slow', tag, await web(tag));
  server().push('charts/web', '1.0.0', await web('5.0.0'));
  const stop = new AbortController();
  const slowScan = scanRegistry(service().scan, service().addRegistry(slow.registry), stop.signal);
  await expect.poll(blobRequests, { interval: 20 }).toBe(2);

  await scan();

  expect(summary(await charts())).toEqual(['1.0.0 true']);
  expect(blobRequests()).toBe(2);
  stop.abort();
  await expect(slowScan).rejects.toThrow('aborted');
});

test.for([
  ['is malformed', 'manifests', 418],
  ['cannot be read', 'manifests', 500],
  ['is forbidden', 'manifests', 403],
  ['has a package that cannot be read', 'blobs', 500],
  ['has a package that is forbidden', 'blobs', 403],
] as const)('a tag that %s does not affect the scan of the other tags', async ([, kind, status]) => {
  const { digest, archiveDigest } = server().push('charts/web', '0.9.0', await web('0.9.0'));
  for (const tag of others) server().push('charts/web', tag, await web(tag));
  const broken = kind === 'blobs' ? [archiveDigest] : ['0.9.0', digest];
  server().misbehave(failingAt(status, (path) => broken.some((name) => path.endsWith(`${kind}/${name}`))));

  await scan();

  expect(summary(await charts())).toEqual(others.map((tag) => `${tag} true`));
});

test('a known tag that cannot be checked does not affect new tags and other known ones', async () => {
  for (const tag of ['0.9.0', ...others]) server().push('charts/web', tag, await web(tag));
  await scan();
  await makeRechecksDue();
  server().push('charts/web', '2.0.0', await web('2.0.0'));
  server().misbehave(failingAt(503, (path) => path.endsWith('manifests/0.9.0')));

  await scan();

  expect(summary(await charts())).toEqual(['0.9.0', ...others, '2.0.0'].map((tag) => `${tag} true`));
  const before = server().requests.length;
  await scan();
  expect(new Set(manifestRequestsSince(before))).toEqual(new Set(['HEAD 0.9.0']));
});

test('after a few failures further new tags are skipped, and known ones are still checked and confirmed', async () => {
  for (const tag of others) server().push('charts/web', tag, await web(tag));
  await scan();
  await makeRechecksDue();
  for (let patch = 0; patch < 50; patch += 1) server().push('charts/web', `2.0.${patch}`, await web(`2.0.${patch}`));
  server().misbehave(failingAt(503, (path) => path.includes('manifests/2.0.')));
  const before = server().requests.length;

  await expect(scan()).rejects.toThrow('answered 503');

  const requests = new Set(manifestRequestsSince(before));
  expect([...requests].filter((line) => line.startsWith('GET 2.0.')).length).toBeLessThan(12);
  expect([...requests].filter((line) => line.startsWith('HEAD'))).toHaveLength(others.length);
  const beforeNext = server().requests.length;
  await expect(scan()).rejects.toThrow('answered 503');
  expect(manifestRequestsSince(beforeNext).filter((line) => line.startsWith('HEAD'))).toEqual([]);
});

test('a chart whose package cannot be fetched during an outage is not broken', async () => {
  server().push('charts/web', '1.0.0', await web());
  server().misbehave((request, response) =>
    request.url?.includes('/blobs/') ? void response.writeHead(503, { 'retry-after': '0' }).end() : false,
  );
  await scan();
  expect(await charts()).toEqual([]);

  server().misbehave(undefined);
  await scan();

  expect(await charts()).toMatchObject([{ image_tag: '1.0.0', error: null }]);
});
