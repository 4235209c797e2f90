import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { listenHere } from './listen-here.ts';

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
  return listenHere(server);
}

async function* lines(): AsyncGenerator<string> {
  for (;;) {
    yield 'line\n';
    await setTimeout(20);
  }
}
