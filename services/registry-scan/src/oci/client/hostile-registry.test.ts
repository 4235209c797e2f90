import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { archive, redirect, signal, startWithClient } from '../../../test/support/client-in-test.ts';
import { type OciServer, sendJson } from '../../../test/support/oci-server.ts';
import { digestOf } from '@berth/bus/objects/digest-of';

describe('a registry that misbehaves', () => {
  test('cannot redirect us to a denied address', async () => {
    const { server, client } = await startWithClient();
    const inside = await startWithClient({ address: '127.0.0.2' });
    server.misbehave((_, response) => redirect(response, `${inside.server.origin}/secret`));

    await expect(client.fetch('charts/web', { digest: digestOf(archive), url: null }, 100, signal())).rejects.toThrow(
      'is not allowed',
    );
    expect(inside.server.requests).toEqual([]);
  });

  test.for([
    ['http://169.254.169.254/latest/meta-data', /is not allowed/],
    ['http://[::ffff:169.254.169.254]/', /is not allowed/],
    ['http://0x7f000002/', /is not allowed/],
    ['http://2130706434/', /is not allowed/],
    ['http://[::1]/', /is not allowed/],
    ['file:///etc/passwd', /is not supported/],
    ['http://user:pass@127.0.0.1/', /with credentials in it/],
    ['http://[', /no valid location/],
  ] as const)('cannot redirect us to %s', async ([location, words]) => {
    const { server, client } = await startWithClient();
    server.misbehave((_, response) => redirect(response, location));

    await expect(client.fetch('charts/web', { digest: digestOf(archive), url: null }, 100, signal())).rejects.toThrow(
      words,
    );
    expect(server.requests).toHaveLength(1);
  });

  test('cannot use a host name that resolves to a denied address', async () => {
    const { server, client } = await startWithClient({ source: { url: 'http://localhost:1', allow_addresses: [] } });
    expect(server.source.allowAddresses).toEqual([]);

    await expect(client.tags('charts/web', signal())).rejects.toThrow(
      'localhost resolves to an address that is not allowed',
    );
  });

  test.for<[string, (server: OciServer, response: ServerResponse) => void, RegExp]>([
    ['redirects forever', ({ origin }, response) => redirect(response, `${origin}/again`), /redirects more than/],
    [
      'lists forever',
      (_, response) => sendJson(response, 200, { tags: [] }, { link: '</v2/charts/web/tags/list?n=1000>; rel="next"' }),
      /without end/,
    ],
    [
      'lists forever under new links',
      ({ requests }, response) =>
        sendJson(response, 200, { tags: [] }, { link: `</v2/charts/web/tags/list?x=${requests.length}>; rel="next"` }),
      /without end/,
    ],
    [
      'links to another listing',
      (_, response) => sendJson(response, 200, { tags: [] }, { link: '</v2/secret/tags/list>; rel="next"' }),
      /points elsewhere/,
    ],
    ['does not answer JSON', (_, response) => void response.end('<html>'), /not a list of names/],
    ['answers another shape', (_, response) => sendJson(response, 200, { tags: 7 }), /not a list of names/],
    ['answers names of another type', (_, response) => sendJson(response, 200, { tags: [1] }), /not a list of names/],
    ['sends without end', (_, response) => flood(response), /body is larger/],
    ['answers 404 without an error code', (_, response) => void response.writeHead(404).end(), /answered 404/],
    [
      'answers 404 with the page of a proxy',
      (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not found</h1>'),
      /answered 404/,
    ],
    ['answers an unexpected status', (_, response) => void response.writeHead(418).end(), /answered 418/],
  ])('is refused if it %s', async ([, answer, words]) => {
    const { server, client } = await startWithClient();
    server.misbehave((_, response) => answer(server, response));

    await expect(client.tags('charts/web', signal())).rejects.toThrow(words);
  });

  test('has no tags if its list is null, and its invalid names are dropped', async () => {
    const { server, client } = await startWithClient();
    server.misbehave((_, response) => sendJson(response, 200, { tags: null }));
    expect(await client.tags('charts/web', signal())).toEqual([]);

    server.misbehave((_, response) => sendJson(response, 200, { tags: ['1.0.0', '../../x', '', 'a'.repeat(200)] }));
    expect(await client.tags('charts/web', signal())).toEqual([{ tag: '1.0.0', digest: null }]);
  });

  test('is refused if a manifest does not match its digest or its media type', async () => {
    const { server, client } = await startWithClient();
    const body = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [] };
    const type = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };

    server.misbehave((_, response) =>
      sendJson(response, 200, body, { ...type, 'docker-content-digest': digestOf(Buffer.from('other')) }),
    );
    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('does not match its digest');

    server.misbehave((_, response) => sendJson(response, 200, body, type));
    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('does not match its media type');
  });

  test('is refused if a manifest is gigabytes long', async () => {
    const { server, client } = await startWithClient();
    server.misbehave((_, response) => flood(response));

    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('larger than 4194304 bytes');
  });

  test('is abandoned at the deadline of the request', async () => {
    const { server, client } = await startWithClient();
    server.misbehave(() => undefined);

    await expect(client.tags('charts/web', AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

/** Writes until the client closes the connection. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  response.on('error', () => undefined);
  pour();
}
