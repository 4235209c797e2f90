import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { portOf } from './port-of.ts';

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** The tunnels that were asked for: target and credential. */
  readonly tunnels: { target: string; credential: string | undefined }[];
}

/** An HTTP proxy that finds each name at 127.0.0.1, as one that resolves names which its clients do not know. */
export async function startConnectProxy(answer = '200 Connection established'): Promise<ConnectProxy> {
  const tunnels: ConnectProxy['tunnels'] = [];
  const sockets = new Set<Duplex>();
  const proxy = createServer().on('connect', ({ url = '', headers }: IncomingMessage, socket) => {
    tunnels.push({ target: url, credential: headers['proxy-authorization'] });
    sockets.add(socket);
    socket.on('error', () => way?.destroy());
    socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
    const way = answer.startsWith('200') ? connect(Number(url.split(':').at(-1)), '127.0.0.1') : undefined;
    if (!way) return void socket.end();
    way.on('error', () => socket.destroy());
    socket.on('close', () => way.destroy());
    return void socket.pipe(way).pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const port = portOf(proxy);
  return {
    port,
    tunnels,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
