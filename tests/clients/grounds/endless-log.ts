import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';

/** A platform whose one task never ends and always writes. */
export async function startEndlessLog() {
  const server = createServer((request, reply) => {
    if (!request.url?.includes('/log')) {
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify({ id: request.url?.split('/').at(-1), status: 'Started' }));
      return;
    }
    reply.writeHead(200, { 'content-type': 'text/plain' });
    // It fails when the reader leaves.
    void pipeline(Readable.from(lines()), reply).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function* lines(): AsyncGenerator<string> {
  for (;;) {
    yield 'line\n';
    await setTimeout(20);
  }
}
