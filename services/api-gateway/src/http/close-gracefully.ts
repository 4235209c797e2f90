import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const checkMs = 50;

export interface Closing {
  /** Requests still in flight after this are cut off; it includes the time to linger. */
  readonly graceMs?: number;
  /** How long the server keeps serving, while it closes each connection with its next response. */
  readonly lingerMs?: number;
}

/**
 * On disposal: lingers, stops accepting connections, waits for requests in flight, and closes. Without lingering, an idle
 * connection may be closed just as its client sends the next request, which then fails.
 */
export const closingGracefully = (
  app: FastifyInstance,
  { graceMs = 20_000, lingerMs = 0 }: Closing = {},
): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    const end = performance.now() + graceMs;
    if (lingerMs > 0) {
      closeWithNextResponse(app);
      await sleep(lingerMs);
    }
    const closed = app.close().then(() => true);
    while (!(await Promise.race([closed, sleep(checkMs, false)]))) {
      // Connections that have become idle would otherwise stay open until their clients close them.
      if (performance.now() < end) app.server.closeIdleConnections();
      else app.server.closeAllConnections();
    }
  },
});

function closeWithNextResponse({ server }: FastifyInstance): void {
  const close = (_request: unknown, response: ServerResponse) => void response.setHeader('connection', 'close');
  // Before all other listeners: the header must be set before the response begins.
  server.prependListener('request', close);
  server.prependListener('checkExpectation', close);
}
