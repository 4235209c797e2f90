import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** What is still under way after this is cut off. */
const patienceMs = 20_000;
const lookAgainMs = 50;

/** Takes nothing new, lets what is under way finish, and closes. */
export const closingGracefully = (app: FastifyInstance, patience = patienceMs): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    const end = performance.now() + patience;
    const closed = app.close().then(() => true);
    while (!(await Promise.race([closed, sleep(lookAgainMs, false)]))) {
      // Connections that were busy have become idle meanwhile; they would stay until their clients leave.
      if (performance.now() < end) app.server.closeIdleConnections();
      else app.server.closeAllConnections();
    }
  },
});
