import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { archive, challenge, redirect, signal, startWithClient } from '../../../test/support/client-in-test.ts';
import { type OciServer, type OciServerOptions, sendJson } from '../../../test/support/oci-server.ts';
import { digestOf } from '@berth/bus/objects/digest-of';

describe('credentials of a registry', () => {
  async function startWithCredentials(source: OciServerOptions['source'] = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'berth-credentials-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const credentials_file = join(folder, 'credentials.json');
    await writeFile(credentials_file, JSON.stringify({ username: 'ada', password: 'canary' }));
    return startWithClient({ source: { credentials_file, ...source } });
  }
  const basic = `Basic ${Buffer.from('ada:canary').toString('base64')}`;
  const sentTo = ({ requests }: OciServer) => requests.flatMap(({ authorization }) => authorization ?? []);

  test('are sent when the registry requires them, and not before', async () => {
    const { server, client } = await startWithCredentials();
    server.push('charts/web', '1.0.0', archive);
    server.misbehave(({ headers }, response) => {
      if (headers.authorization === basic) return false;
      return challenge(response, 'Basic realm="x"');
    });

    expect(await client.tags('charts/web', signal())).toEqual([{ tag: '1.0.0', digest: null }]);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([undefined, basic]);
  });

  test('are exchanged for a token that is used until it expires', async () => {
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

    const tokenRequests = server.requests.filter(({ line }) => line.includes('/token'));
    expect(tokenRequests).toEqual([
      { line: 'GET /token?service=s&scope=repository%3Acharts%2Fweb%3Apull', authorization: basic },
    ]);
  });

  test.for([
    ['themselves', 'Basic realm="x"'],
    ['as a token that has not expired', (origin: string) => `Bearer realm="${origin}/token"`],
  ] as const)('are sent %s until they are replaced, and the new ones from the next request', async ([, asked]) => {
    const { server, client } = await startWithCredentials();
    server.push('charts/web', '1.0.0', archive);
    const replaced = `Basic ${Buffer.from('ada:replaced').toString('base64')}`;
    server.misbehave(({ headers, url = '' }, response) => {
      if (url.startsWith('/token')) return sendJson(response, 200, { token: headers.authorization?.slice(6) });
      if (headers.authorization) return false;
      return challenge(response, typeof asked === 'string' ? asked : asked(server.origin));
    });
    const sentWith = async () => {
      server.requests.length = 0;
      await client.manifest('charts/web', '1.0.0', signal());
      return server.requests.map(({ authorization }) => authorization?.split(' ')[1]);
    };
    const [old, own] = [basic, replaced].map((header) => header.slice(6));
    expect(new Set(await sentWith())).toEqual(new Set([undefined, old]));
    expect(await sentWith()).toEqual([old]);

    await writeFile(server.source.credentialsFile ?? '', JSON.stringify({ username: 'ada', password: 'replaced' }));

    expect(new Set(await sentWith())).toEqual(new Set([undefined, own]));
    expect(await sentWith()).toEqual([own]);
  });

  test.for([
    ['to a realm on another host', (other: string) => `Bearer realm="${other}/token"`, /realm of the registry/],
    ['to the metadata service', () => 'Bearer realm="http://169.254.169.254/token"', /realm of the registry/],
    ['to a realm that is not a URL', () => 'Bearer realm="/token"', /realm of the registry/],
  ] as const)('are not sent %s', async ([, header, words]) => {
    const { server, client } = await startWithCredentials();
    const other = await startWithClient();
    server.misbehave((_, response) => {
      return challenge(response, header(other.server.origin));
    });

    await expect(client.tags('charts/web', signal())).rejects.toThrow(words);
    expect(other.server.requests).toEqual([]);
    expect(sentTo(server)).toEqual([]);
  });

  test('go to a token server on another host if that is configured', async () => {
    const auth = await startWithClient();
    const { server, client } = await startWithCredentials({ auth_hosts: [new URL(auth.server.origin).host] });
    server.push('charts/web', '1.0.0', archive);
    auth.server.misbehave((_, response) => sendJson(response, 200, { access_token: 'ticket' }));
    server.misbehave(({ headers }, response) => {
      if (headers.authorization === 'Bearer ticket') return false;
      return challenge(response, `Bearer realm="${auth.server.origin}/token"`);
    });

    expect(await client.tags('charts/web', signal())).toEqual([{ tag: '1.0.0', digest: null }]);
    expect(sentTo(auth.server)).toEqual([basic]);
  });

  test('are not forwarded when the token server redirects', async () => {
    const { server, client } = await startWithCredentials();
    const other = await startWithClient();
    server.misbehave(({ url = '' }, response) => {
      if (url.startsWith('/token')) return redirect(response, `${other.server.origin}/steal`);
      return challenge(response, `Bearer realm="${server.origin}/token"`);
    });

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'denied' });
    expect(other.server.requests).toEqual([]);
  });

  test('are not sent to another host that stores the package', async () => {
    const { server, client } = await startWithCredentials();
    const storage = await startWithClient();
    server.push('charts/web', '1.0.0', archive);
    server.misbehave(({ headers, url = '' }, response) => {
      if (headers.authorization === undefined) {
        return challenge(response, 'Basic');
      }
      return url.includes('/blobs/') ? redirect(response, `${storage.server.origin}/stored`) : false;
    });
    storage.server.misbehave((_, response) => void response.end(archive));

    expect(await client.fetch('charts/web', { digest: digestOf(archive), url: null }, 100, signal())).toEqual(archive);
    expect(storage.server.requests).toEqual([{ line: 'GET /stored', authorization: undefined }]);
  });

  test('are not sent to the target of a redirect, even if it requests them', async () => {
    const { server, client } = await startWithCredentials();
    const other = await startWithClient();
    server.misbehave((_, response) => redirect(response, `${other.server.origin}/v2/`));
    other.server.misbehave((_, response) => challenge(response, 'Basic'));

    await expect(client.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'denied' });
    expect(sentTo(other.server)).toEqual([]);
    expect(sentTo(server)).toEqual([]);
  });

  test('do not appear in the error when they are wrong', async () => {
    const { server, client } = await startWithCredentials();
    server.misbehave((_, response) => challenge(response, 'Basic'));

    const error: unknown = await client.tags('charts/web', signal()).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ reason: 'denied' });
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });
});
