import { describe, expect, test } from 'vitest';
import { type OciServer, sendJson } from './oci-server.ts';
import { summary, watchedRegistry, web } from './watched-registry.ts';

const { charts, forgetTold, newlyTold, registries, scan, server } = watchedRegistry();

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

  test('to the other tags, where one of them is nonsense', async () => {
    server().push('charts/web', '1.0.0', await web('1.0.0'));
    server().push('charts/web', '1.1.0', await web('1.1.0'));
    server().misbehave((request, response) =>
      request.url?.endsWith('manifests/1.0.0') ? void response.writeHead(418).end() : false,
    );

    await scan();

    expect(summary(await charts())).toEqual(['1.1.0 true']);
  });

  test('and a package that cannot be fetched for now is no broken chart', async () => {
    server().push('charts/web', '1.0.0', await web());
    server().misbehave((request, response) =>
      request.url?.includes('/blobs/') ? void response.writeHead(503, { 'retry-after': '0' }).end() : false,
    );
    await expect(scan()).rejects.toThrow('answered 503');
    expect(await charts()).toEqual([]);

    server().misbehave(undefined);
    await scan();

    expect(await charts()).toMatchObject([{ image_tag: '1.0.0', error: null }]);
  });
});
