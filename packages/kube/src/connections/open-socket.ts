import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { tunnelThrough } from '@berth/service/proxy/tunnel-through';
import { ConnectionLost } from './connection-lost.ts';

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly tls: Pick<ConnectionOptions, 'secureContext' | 'rejectUnauthorized'>;
  /** An HTTP proxy, with its credential if it has one. */
  readonly proxy: URL | null;
}

/** Covers DNS, proxy, TCP and TLS. A server that accepts and never answers must not hold requests for longer. */
const openingMs = 10_000;

/** Opens a TLS connection that speaks HTTP/2 or, if the server does not, HTTP/1.1 (`alpnProtocol`). */
export async function openSocket(
  { host, port, tls, proxy }: SocketTarget,
  protocols: string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(openingMs)]);
  const tunnel = proxy && (await tunnelThrough(proxy, { host, port }, limit));
  return await secured({ host, port, tls, tunnel }, protocols, limit);
}

const secured = (
  { host, port, tls, tunnel }: Omit<SocketTarget, 'proxy'> & { tunnel: Duplex | null },
  protocols: string[],
  limit: AbortSignal,
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      ...tls,
      ...(tunnel === null ? { host, port } : { socket: tunnel }),
      ALPNProtocols: protocols,
      // An address is checked against the certificate without being sent.
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    });
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    const fail = (error: unknown): void => {
      limit.removeEventListener('abort', late);
      socket.destroy();
      reject(error);
    };
    const late = (): void => fail(limit.reason);
    limit.addEventListener('abort', late, { once: true });
    if (limit.aborted) late();
    socket.once('error', fail).once('close', () => fail(new ConnectionLost()));
    socket.once('secureConnect', () => {
      limit.removeEventListener('abort', late);
      socket.removeListener('error', fail).removeAllListeners('close');
      resolve(socket);
    });
  });
