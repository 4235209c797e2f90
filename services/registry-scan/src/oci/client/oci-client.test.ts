import { describe, expect, test } from 'vitest';
import { archive, signal, startWithClient } from '../../../test/support/client-in-test.ts';
import { imageManifest, type OciServer, sendJson } from '../../../test/support/oci-server.ts';
import { digestOf } from '@berth/bus/objects/digest-of';

const tags = (...names: string[]) => names.map((tag) => ({ tag, digest: null }));
const lines = ({ requests }: OciServer) => requests.map(({ line }) => line);

describe('the client of a registry', () => {
  test('reads catalogue, tags, manifests and packages', async () => {
    const { server, client } = await startWithClient();
    const { digest, archiveDigest } = server.push('charts/web', '1.0.0', archive);

    expect(await client.repositories(undefined, signal())).toEqual(['charts/web']);
    expect(await client.tags('charts/web', signal())).toEqual(tags('1.0.0'));
    expect(await client.manifest('charts/web', '1.0.0', signal())).toMatchObject({
      digest,
      package: { digest: archiveDigest, size: archive.length },
    });
    expect(await client.fetch('charts/web', { digest: archiveDigest, url: null }, 100, signal())).toEqual(archive);
    expect(await client.stillHas('charts/web', '1.0.0', digest, signal())).toBe(true);
    expect(await client.stillHas('charts/web', '1.0.0', digestOf(archive), signal())).toBe(false);
  });

  test('returns null for what the registry reports as missing', async () => {
    const { server, client } = await startWithClient();
    server.push('charts/web', '1.0.0', archive);

    expect(await client.tags('charts/none', signal())).toBeNull();
    expect(await client.manifest('charts/web', '2.0.0', signal())).toBeNull();
    expect(
      await client.fetch('charts/web', { digest: digestOf(Buffer.from('other')), url: null }, 100, signal()),
    ).toBeNull();
  });

  test('finds no packaged chart in an image', async () => {
    const { server, client } = await startWithClient();
    const digest = server.pushManifest('images/web', '1', imageManifest);

    expect(await client.manifest('images/web', '1', signal())).toEqual({ digest, package: null });
  });

  test('reads a list page by page', async () => {
    const { server, client } = await startWithClient();
    server.misbehave((request, response) => {
      const last = new URL(request.url ?? '', 'http://x').searchParams.get('last');
      const link = last === null ? { link: '</v2/charts/web/tags/list?n=1000&last=b>; rel="next"' } : {};
      sendJson(response, 200, { tags: last === null ? ['a', 'b'] : ['c'] }, { ...link });
    });

    expect(await client.tags('charts/web', signal())).toEqual(tags('a', 'b', 'c'));
  });

  test('retries a busy registry after its Retry-After', async () => {
    const { server, client } = await startWithClient();
    server.push('charts/web', '1.0.0', archive);
    let refused = 0;
    server.misbehave((_, response) => {
      if (refused++ >= 2) return false;
      return void response.writeHead(refused === 1 ? 429 : 503, { 'retry-after': '0' }).end();
    });

    expect(await client.tags('charts/web', signal())).toEqual(tags('1.0.0'));
    expect(lines(server)).toHaveLength(3);
  });

  test('gives up on a registry that stays busy', async () => {
    const { server, client } = await startWithClient();
    server.misbehave((_, response) => void response.writeHead(429, { 'retry-after': '0' }).end());

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
    expect(lines(server)).toHaveLength(4);
  });

  test('reports a registry that does not answer as unavailable', async () => {
    const { server, client } = await startWithClient();
    await server.stop();

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
