import { describe, expect, test } from 'vitest';
import { scanRegistry } from '../src/scan/scan-registry.ts';
import { type OciServer, sendJson, startOciServer } from './support/oci-server.ts';
import { summary, watchedRegistry, web } from './support/scanned-registry.ts';

const { charts, forgetTold, letTimePass, newlyTold, registries, scan, server, service } = watchedRegistry();

/** More than are asked for at once. */
const others = Array.from({ length: 8 }, (_, patch) => `1.0.${patch}`);

const failingAt =
  (status: number, isBroken: (path: string) => boolean): Parameters<OciServer['misbehave']>[0] =>
  (request, response) =>
    isBroken(request.url ?? '') ? void response.writeHead(status, { 'retry-after': '0' }).end() : false;

/** `HEAD 1.0.0` for each time that a tag was asked about. */
const askedSince = (count: number): string[] =>
  server()
    .requests.slice(count)
    .flatMap(({ line }) => {
      const [, method, tag] = /^(GET|HEAD) .*\/manifests\/(.+)$/.exec(line) ?? [];
      return tag === undefined ? [] : [`${method} ${tag}`];
    });

describe('an outage changes nothing', () => {
  test.for<[string, (server: OciServer) => void]>([
    [
      'answers 503',
      ({ misbehave }) => misbehave((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end()),
    ],
    ['answers 404 without a word', ({ misbehave }) => misbehave((_, response) => void response.writeHead(404).end())],
    ['refuses access', ({ misbehave }) => misbehave((_, response) => void response.writeHead(403).end())],
    [
      'lists its repositories but not their tags',
      ({ misbehave }) =>
        misbehave((request, response) =>
          request.url?.includes('_catalog') ? false : void response.writeHead(502, { 'retry-after': '0' }).end(),
        ),
    ],
    [
      'has lost its catalogue, and says nothing sensible about the repository',
      ({ misbehave }) =>
        misbehave((request, response) =>
          request.url?.includes('_catalog')
            ? sendJson(response, 200, { repositories: [] })
            : void response.writeHead(404).end('<html>'),
        ),
    ],
  ])('where the registry %s', async ([, breakIt]) => {
    server().push('charts/web', '1.0.0', await web());
    await scan();
    await forgetTold();
    breakIt(server());

    await expect(scan()).rejects.toThrow(server().source.domain);

    expect(summary(await charts())).toEqual(['1.0.0 true']);
    expect(await newlyTold()).toEqual([]);
  });

  test('to the other repositories, where one of them is broken', async () => {
    server().push('charts/broken', '1.0.0', await web());
    server().push('charts/web', '1.0.0', await web());
    server().misbehave((request, response) =>
      request.url?.includes('charts/broken') ? void response.writeHead(500).end() : false,
    );

    await scan();

    expect((await registries()).map(({ repo_name }) => repo_name)).toEqual(['charts/web']);
  });

  test('to the other registries, where one of them is slow to send its packages', async () => {
    await using slow = await startOciServer();
    const blobsAsked = () => slow.requests.filter(({ line }) => line.includes('/blobs/')).length;
    slow.misbehave((request) => (request.url?.includes('/blobs/') ? undefined : false));
    for (const tag of others) slow.push('charts/slow', tag, await web(tag));
    server().push('charts/web', '1.0.0', await web('5.0.0'));
    const stop = new AbortController();
    const slowScan = scanRegistry(service().scan, service().watch(slow.source), stop.signal);
    await expect.poll(blobsAsked, { timeout: 5_000, interval: 20 }).toBe(2);

    await scan();

    expect(summary(await charts())).toEqual(['1.0.0 true']);
    expect(blobsAsked()).toBe(2);
    stop.abort();
    await expect(slowScan).rejects.toThrow('aborted');
  });

  test.for([
    ['is nonsense', 'manifests', 418],
    ['cannot be had', 'manifests', 500],
    ['may not be seen', 'manifests', 403],
    ['has a package that cannot be had', 'blobs', 500],
    ['has a package that may not be seen', 'blobs', 403],
  ] as const)('to the other tags, where one of them %s', async ([, kind, status]) => {
    const { digest, archiveDigest } = server().push('charts/web', '0.9.0', await web('0.9.0'));
    for (const tag of others) server().push('charts/web', tag, await web(tag));
    const broken = kind === 'blobs' ? [archiveDigest] : ['0.9.0', digest];
    server().misbehave(failingAt(status, (path) => broken.some((name) => path.endsWith(`${kind}/${name}`))));

    await scan();

    expect(summary(await charts())).toEqual(others.map((tag) => `${tag} true`));
  });

  test('to new tags and other known ones, where a known one cannot be checked', async () => {
    for (const tag of ['0.9.0', ...others]) server().push('charts/web', tag, await web(tag));
    await scan();
    await letTimePass();
    server().push('charts/web', '2.0.0', await web('2.0.0'));
    server().misbehave(failingAt(503, (path) => path.endsWith('manifests/0.9.0')));

    await scan();

    expect(summary(await charts())).toEqual(['0.9.0', ...others, '2.0.0'].map((tag) => `${tag} true`));
    const asked = server().requests.length;
    await scan();
    expect(new Set(askedSince(asked))).toEqual(new Set(['HEAD 0.9.0']));
  });

  test('and new tags that all fail end their scan after a few; known ones are checked and confirmed', async () => {
    for (const tag of others) server().push('charts/web', tag, await web(tag));
    await scan();
    await letTimePass();
    for (let patch = 0; patch < 50; patch += 1) server().push('charts/web', `2.0.${patch}`, await web(`2.0.${patch}`));
    server().misbehave(failingAt(503, (path) => path.includes('manifests/2.0.')));
    const asked = server().requests.length;

    await expect(scan()).rejects.toThrow('answered 503');

    const tags = new Set(askedSince(asked));
    expect([...tags].filter((line) => line.startsWith('GET 2.0.')).length).toBeLessThan(12);
    expect([...tags].filter((line) => line.startsWith('HEAD'))).toHaveLength(others.length);
    const askedLater = server().requests.length;
    await expect(scan()).rejects.toThrow('answered 503');
    expect(askedSince(askedLater).filter((line) => line.startsWith('HEAD'))).toEqual([]);
  });

  test('and a package that cannot be fetched for now is no broken chart', async () => {
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
});
