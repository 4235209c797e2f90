import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { listenHere } from './listen-here.ts';

/** Passes requests to a platform as they come, streams included. One that is held never arrives there, and gets no answer. */
export async function startHoldingProxy(target: string, isHeld: (asked: { method: string; path: string }) => boolean) {
  const server = createServer((incoming, reply) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (isHeld({ method, path })) return;
    const kept = Object.entries(headers).filter(([name]) => name !== 'host');
    const passed = request(`${target}${path}`, { method, headers: Object.fromEntries(kept), agent: false });
    passed.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      // It fails when the reader leaves.
      void pipeline(answer, reply).catch(() => undefined);
    });
    void pipeline(incoming, passed).catch(() => reply.destroy());
    reply.on('close', () => void passed.destroy());
  });
  return listenHere(server);
}
