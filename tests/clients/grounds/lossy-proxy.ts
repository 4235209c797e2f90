import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests to a platform; of the first one with this method, the answer is lost. */
export async function startLossyProxy(target: string, method: string) {
  let lost = 0;
  const pass = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = await request.toArray();
    const own = ['host', 'connection', 'content-length', 'transfer-encoding'];
    const passed = Object.entries(request.headers).filter(([name]) => !own.includes(name));
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    if (request.method === method && lost === 0) {
      lost += 1;
      request.socket.destroy();
      return;
    }
    reply.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text);
  };
  const server = createServer((request, reply) => void pass(request, reply));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
