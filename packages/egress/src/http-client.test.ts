import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpClient } from './http-client.ts';

const variables = ['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
let proxy: Server;
let requested: string[];
beforeEach(async () => {
  requested = [];
  proxy = createServer((request, response) => {
    requested.push(request.url ?? '');
    response.end('by the proxy');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  Object.assign(process.env, { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '.direct' });
});
afterEach(() => {
  for (const name of variables) delete process.env[name];
  proxy.closeAllConnections();
  proxy.close();
});

/** Asks for a name that is at these addresses. */
async function get(url: string, addresses: readonly string[]): Promise<string> {
  const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
  using http = createHttpClient({ allowHttp: true, allowAddresses: [], resolve });
  return (await http.send(new URL(url), { maxBytes: 1_000, signal: AbortSignal.timeout(5_000) })).body.toString();
}

test('plain http goes through its proxy, although the rules refuse the address of the proxy itself', async () => {
  expect(await get('http://registry.example/v2/', ['192.0.2.1'])).toBe('by the proxy');

  expect(requested).toEqual(['http://registry.example/v2/']);
});

test('the proxy is not asked for a name if one of its addresses is refused', async () => {
  const answer = get('http://registry.example/v2/', ['192.0.2.1', '169.254.169.254']);

  await expect(answer).rejects.toThrow('registry.example resolves to an address that is not allowed');
  expect(requested).toEqual([]);
});

test('a host of NO_PROXY is reached directly, by the rules', async () => {
  await expect(get('http://registry.direct/v2/', ['127.0.0.1'])).rejects.toThrow('an address that is not allowed');

  expect(requested).toEqual([]);
});
