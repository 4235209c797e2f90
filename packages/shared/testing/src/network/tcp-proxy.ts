import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from './port-of.ts';

export interface TcpProxy extends AsyncDisposable {
  /** The URL of the server, through the proxy. */
  readonly url: string;
  /** Connections break and new ones are refused, as if the server had been killed. */
  refuse(): Promise<void>;
  /** Connections stay open but carry nothing, as if the network were lost. */
  silence(): void;
  /** Open connections keep working, but new ones carry nothing. */
  keepOthersWaiting(): void;
  /** Connections work again, on the same port. */
  restore(): Promise<void>;
}

/** A proxy in front of a shared server: a test can cut its own connections without affecting others. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const behind = new URL(target);
  const sockets = new Set<Socket>();
  let silent = false;
  let admitsNew = true;
  let server: Server | undefined;
  let port = 0;

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };

  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => void (silent || to.write(bytes)));
    from.on('close', () => to.destroy());
  };

  const start = async (): Promise<void> => {
    silent = false;
    admitsNew = true;
    if (server !== undefined) return;
    server = createServer((client) => {
      if (!admitsNew) {
        track(client);
        return;
      }
      const upstream = track(connect(Number(behind.port || 5432), behind.hostname));
      forward(track(client), upstream);
      forward(upstream, client);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = portOf(server);
  };

  const refuse = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing !== undefined) await new Promise((done) => closing.close(done));
  };

  await start();
  const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href;
  return {
    url,
    refuse,
    restore: start,
    silence() {
      silent = true;
    },
    keepOthersWaiting() {
      admitsNew = false;
    },
    [Symbol.asyncDispose]: refuse,
  };
}
