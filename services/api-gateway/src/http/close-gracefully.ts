import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Requests that are in flight after this are cut off. */
const defaultGraceMs = 20_000;
const checkMs = 50;

/** On disposal: stops accepting connections, waits for requests in flight, and closes. */
export const closingGracefully = (app: FastifyInstance, graceMs = defaultGraceMs): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    const end = performance.now() + graceMs;
    const closed = app.close().then(() => true);
    while (!(await Promise.race([closed, sleep(checkMs, false)]))) {
      // Connections that have become idle would otherwise stay open until their clients close them.
      if (performance.now() < end) app.server.closeIdleConnections();
      else app.server.closeAllConnections();
    }
  },
});
