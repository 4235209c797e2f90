import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface Forward {
  readonly port: number;
  close(): Promise<void>;
}

/** Forwards TCP connections from `host:port` to another address, so that pods reach servers on loopback. */
export async function forward(from: Endpoint, to: () => Endpoint): Promise<Forward> {
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(to());
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(from.port, from.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : from.port;
  const close = async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port, close };
}
