import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  imageManifest,
  type OciServer,
  type OciServerOptions,
  sendJson,
  startOciServer,
} from '../../test/oci-server.ts';
import { digestOf } from './digest-of.ts';
import { createRegistryClient } from './registry-client.ts';

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const server of stack.splice(0)) await server[Symbol.asyncDispose]();
});

async function start(options: OciServerOptions = {}) {
  const server = await startOciServer(options);
  const client = createRegistryClient(server.source);
  stack.push(server);
  onTestFinished(() => client[Symbol.dispose]());
  return { server, client };
}

const signal = () => AbortSignal.timeout(20_000);
const lines = ({ requests }: OciServer) => requests.map(({ line }) => line);
const redirect = (response: ServerResponse, location: string) => void response.writeHead(307, { location }).end();
const challenge = (response: ServerResponse, header: string) =>
  void response.writeHead(401, { 'www-authenticate': header }).end();
const archive = Buffer.from('the package');

describe('a registry that behaves', () => {
  test('is read: catalogue, tags, manifest, package', async () => {
    const { server, client } = await start();
    const { digest, archiveDigest } = server.push('charts/web', '1.0.0', archive);

    expect(await client.repositories(signal())).toEqual(['charts/web']);
    expect(await client.tags('charts/web', signal())).toEqual(['1.0.0']);
    expect(await client.manifest('charts/web', '1.0.0', signal())).toMatchObject({
      digest,
      layer: { digest: archiveDigest, size: archive.length },
    });
    expect(await client.blob('charts/web', archiveDigest, 100, signal())).toEqual(archive);
    expect(await client.stillHas('charts/web', '1.0.0', digest, signal())).toBe(true);
    expect(await client.stillHas('charts/web', '1.0.0', digestOf(archive), signal())).toBe(false);
  });

  test('says what it does not have', async () => {
    const { server, client } = await start();
    server.push('charts/web', '1.0.0', archive);

    expect(await client.tags('charts/none', signal())).toBeNull();
    expect(await client.manifest('charts/web', '2.0.0', signal())).toBeNull();
    expect(await client.blob('charts/web', digestOf(Buffer.from('other')), 100, signal())).toBeNull();
  });

  test('has images too, which are no charts', async () => {
    const { server, client } = await start();
    const digest = server.pushManifest('images/web', '1', imageManifest);

    expect(await client.manifest('images/web', '1', signal())).toEqual({ digest, layer: null });
  });

  test('lists in pages', async () => {
    const { server, client } = await start();
    server.misbehave((request, response) => {
      const last = new URL(request.url ?? '', 'http://x').searchParams.get('last');
      const link = last === null ? { link: '</v2/charts/web/tags/list?n=1000&last=b>; rel="next"' } : {};
      sendJson(response, 200, { tags: last === null ? ['a', 'b'] : ['c'] }, { ...link });
    });

    expect(await client.tags('charts/web', signal())).toEqual(['a', 'b', 'c']);
  });

  test('is asked again when it is busy, as long as it says', async () => {
    const { server, client } = await start();
    server.push('charts/web', '1.0.0', archive);
    let refused = 0;
    server.misbehave((_, response) => {
      if (refused++ >= 2) return false;
      return void response.writeHead(refused === 1 ? 429 : 503, { 'retry-after': '0' }).end();
    });

    expect(await client.tags('charts/web', signal())).toEqual(['1.0.0']);
    expect(lines(server)).toHaveLength(3);
  });

  test('is given up on when it stays busy', async () => {
    const { server, client } = await start();
    server.misbehave((_, response) => void response.writeHead(429, { 'retry-after': '0' }).end());

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
    expect(lines(server)).toHaveLength(4);
  });

  test('is unavailable when it does not answer', async () => {
    const { server, client } = await start();
    await server[Symbol.asyncDispose]();
    stack.pop();

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
  });
});

describe('credentials', () => {
  async function startWithCredentials(source: OciServerOptions['source'] = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'berth-credentials-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const credentials_file = join(folder, 'credentials.json');
    await writeFile(credentials_file, JSON.stringify({ username: 'ada', password: 'canary' }));
    return start({ source: { credentials_file, ...source } });
  }
  const basic = `Basic ${Buffer.from('ada:canary').toString('base64')}`;
  const sentTo = ({ requests }: OciServer) => requests.flatMap(({ authorization }) => authorization ?? []);

  test('are sent when the registry asks for them, and not before', async () => {
    const { server, client } = await startWithCredentials();
    server.push('charts/web', '1.0.0', archive);
    server.misbehave(({ headers }, response) => {
      if (headers.authorization === basic) return false;
      return challenge(response, 'Basic realm="x"');
    });

    expect(await client.tags('charts/web', signal())).toEqual(['1.0.0']);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([undefined, basic]);
  });

  test('are exchanged for a token that is used until it runs out', async () => {
    const { server, client } = await startWithCredentials();
    server.push('charts/web', '1.0.0', archive);
    server.misbehave(({ headers, url = '' }, response) => {
      if (url.startsWith('/token')) {
        return sendJson(response, 200, { token: 'ticket', expires_in: 300 });
      }
      if (headers.authorization === 'Bearer ticket') return false;
      const realm = `Bearer realm="${server.origin}/token",service="s",scope="repository:other:push,pull"`;
      return challenge(response, realm);
    });

    await client.tags('charts/web', signal());
    await client.manifest('charts/web', '1.0.0', signal());

    const asked = server.requests.filter(({ line }) => line.includes('/token'));
    expect(asked).toEqual([
      { line: 'GET /token?service=s&scope=repository%3Acharts%2Fweb%3Apull', authorization: basic },
    ]);
  });

  test.for([
    ['to a realm on another host', (other: string) => `Bearer realm="${other}/token"`, /realm of the registry/],
    ['to the metadata service', () => 'Bearer realm="http://169.254.169.254/token"', /realm of the registry/],
    ['to a realm that is no URL', () => 'Bearer realm="/token"', /realm of the registry/],
  ] as const)('are not sent %s', async ([, header, words]) => {
    const { server, client } = await startWithCredentials();
    const other = await start();
    server.misbehave((_, response) => {
      return challenge(response, header(other.server.origin));
    });

    await expect(client.tags('charts/web', signal())).rejects.toThrow(words);
    expect(other.server.requests).toEqual([]);
    expect(sentTo(server)).toEqual([]);
  });

  test('go to a token server of another host where that is configured', async () => {
    const auth = await start();
    const { server, client } = await startWithCredentials({ auth_hosts: [new URL(auth.server.origin).host] });
    server.push('charts/web', '1.0.0', archive);
    auth.server.misbehave((_, response) => sendJson(response, 200, { access_token: 'ticket' }));
    server.misbehave(({ headers }, response) => {
      if (headers.authorization === 'Bearer ticket') return false;
      return challenge(response, `Bearer realm="${auth.server.origin}/token"`);
    });

    expect(await client.tags('charts/web', signal())).toEqual(['1.0.0']);
    expect(sentTo(auth.server)).toEqual([basic]);
  });

  test('are not sent along when the token server redirects', async () => {
    const { server, client } = await startWithCredentials();
    const other = await start();
    server.misbehave(({ url = '' }, response) => {
      if (url.startsWith('/token')) return redirect(response, `${other.server.origin}/steal`);
      return challenge(response, `Bearer realm="${server.origin}/token"`);
    });

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'denied' });
    expect(other.server.requests).toEqual([]);
  });

  test('stay behind when a package lies on another host', async () => {
    const { server, client } = await startWithCredentials();
    const storage = await start();
    server.push('charts/web', '1.0.0', archive);
    server.misbehave(({ headers, url = '' }, response) => {
      if (headers.authorization === undefined) {
        return challenge(response, 'Basic');
      }
      return url.includes('/blobs/') ? redirect(response, `${storage.server.origin}/stored`) : false;
    });
    storage.server.misbehave((_, response) => void response.end(archive));

    expect(await client.blob('charts/web', digestOf(archive), 100, signal())).toEqual(archive);
    expect(storage.server.requests).toEqual([{ line: 'GET /stored', authorization: undefined }]);
  });

  test('are not given to a host that a redirect leads to, even if it asks', async () => {
    const { server, client } = await startWithCredentials();
    const other = await start();
    server.misbehave((_, response) => redirect(response, `${other.server.origin}/v2/`));
    other.server.misbehave((_, response) => challenge(response, 'Basic'));

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'denied' });
    expect(sentTo(other.server)).toEqual([]);
  });

  test('that are wrong deny access, without a word of them', async () => {
    const { server, client } = await startWithCredentials();
    server.misbehave((_, response) => challenge(response, 'Basic'));

    const error: unknown = await client.tags('charts/web', signal()).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ reason: 'denied' });
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });
});

describe('a registry that misbehaves', () => {
  test('cannot send us to an address that is denied', async () => {
    const { server, client } = await start();
    const inside = await start({ address: '127.0.0.2' });
    server.misbehave((_, response) => redirect(response, `${inside.server.origin}/secret`));

    await expect(client.blob('charts/web', digestOf(archive), 100, signal())).rejects.toThrow('is not allowed');
    expect(inside.server.requests).toEqual([]);
  });

  test.for([
    ['http://169.254.169.254/latest/meta-data', /is not allowed/],
    ['http://[::ffff:169.254.169.254]/', /is not allowed/],
    ['http://0x7f000002/', /is not allowed/],
    ['http://2130706434/', /is not allowed/],
    ['http://[::1]/', /is not allowed/],
    ['file:///etc/passwd', /is not spoken/],
    ['http://user:pass@127.0.0.1/', /with credentials in it/],
    ['http://[', /leads nowhere/],
  ] as const)('cannot send us to %s', async ([location, words]) => {
    const { server, client } = await start();
    server.misbehave((_, response) => redirect(response, location));

    await expect(client.blob('charts/web', digestOf(archive), 100, signal())).rejects.toThrow(words);
    expect(server.requests).toHaveLength(1);
  });

  test('cannot send us to a name that stands for a denied address', async () => {
    const { server, client } = await start({ source: { url: 'http://localhost:1', allow_addresses: [] } });
    expect(server.source.allowAddresses).toEqual([]);

    await expect(client.tags('charts/web', signal())).rejects.toThrow('localhost is at an address that is not allowed');
  });

  test.for<[string, (server: OciServer, response: ServerResponse) => void, RegExp]>([
    ['redirects for ever', ({ origin }, response) => redirect(response, `${origin}/again`), /redirects more than/],
    [
      'lists for ever',
      (_, response) => sendJson(response, 200, { tags: [] }, { link: '</v2/charts/web/tags/list?n=1000>; rel="next"' }),
      /without end/,
    ],
    [
      'lists for ever under new links',
      ({ requests }, response) =>
        sendJson(response, 200, { tags: [] }, { link: `</v2/charts/web/tags/list?x=${requests.length}>; rel="next"` }),
      /without end/,
    ],
    [
      'links to another listing',
      (_, response) => sendJson(response, 200, { tags: [] }, { link: '</v2/secret/tags/list>; rel="next"' }),
      /leads elsewhere/,
    ],
    ['answers no JSON', (_, response) => void response.end('<html>'), /not a list of names/],
    ['answers another shape', (_, response) => sendJson(response, 200, { tags: 7 }), /not a list of names/],
    ['answers names of another type', (_, response) => sendJson(response, 200, { tags: [1] }), /not a list of names/],
    ['sends without end', (_, response) => flood(response), /bytes were sent/],
    ['answers 404 without saying what is missing', (_, response) => void response.writeHead(404).end(), /answered 404/],
    [
      'answers 404 with the page of a proxy',
      (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not found</h1>'),
      /answered 404/,
    ],
    ['answers a strange status', (_, response) => void response.writeHead(418).end(), /answered 418/],
  ])('that %s is refused', async ([, answer, words]) => {
    const { server, client } = await start();
    server.misbehave((_, response) => answer(server, response));

    await expect(client.tags('charts/web', signal())).rejects.toThrow(words);
  });

  test('has no tags where it says null, and none that could not be one', async () => {
    const { server, client } = await start();
    server.misbehave((_, response) => sendJson(response, 200, { tags: null }));
    expect(await client.tags('charts/web', signal())).toEqual([]);

    server.misbehave((_, response) => sendJson(response, 200, { tags: ['1.0.0', '../../x', '', 'a'.repeat(200)] }));
    expect(await client.tags('charts/web', signal())).toEqual(['1.0.0']);
  });

  test('is refused a manifest that is not what its digest says, or calls itself two things', async () => {
    const { server, client } = await start();
    const body = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [] };
    const type = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };

    server.misbehave((_, response) =>
      sendJson(response, 200, body, { ...type, 'docker-content-digest': digestOf(Buffer.from('other')) }),
    );
    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('not what its digest says');

    server.misbehave((_, response) => sendJson(response, 200, body, type));
    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('another media type');
  });

  test('is refused a manifest of gigabytes', async () => {
    const { server, client } = await start();
    server.misbehave((_, response) => flood(response));

    await expect(client.manifest('charts/web', '1', signal())).rejects.toThrow('more than 1048576 bytes');
  });

  test('holds us up no longer than we wait', async () => {
    const { server, client } = await start();
    server.misbehave(() => undefined);

    await expect(client.tags('charts/web', AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

/** Writes until the other side hangs up. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  response.on('error', () => undefined);
  pour();
}
