import { request as requestPlain } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Duplex } from 'node:stream';

/** The proxy refused the tunnel to a server. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/** Opens a tunnel to a server through an HTTP proxy, which sees only the server's name and encrypted bytes. */
export function tunnelThrough(
  proxy: URL,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  const name = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const request = proxy.protocol === 'https:' ? requestSecurely : requestPlain;
  const { username, password } = proxy;
  const credential = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');

  return new Promise((resolve, reject) => {
    request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: name,
      headers: { host: name, ...(username !== '' && { 'proxy-authorization': `Basic ${credential}` }) },
      agent: false,
      signal,
    })
      .on('connect', ({ statusCode = 0 }, socket, head) => {
        if (statusCode === 200 && head.length === 0) return resolve(socket);
        socket.destroy();
        reject(new ProxyRefused(statusCode));
      })
      .on('response', (response) => {
        response.destroy();
        reject(new ProxyRefused(response.statusCode ?? 0));
      })
      .on('error', reject)
      .end();
  });
}
