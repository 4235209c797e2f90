import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes each connection with the response to its last allowed request, so that clients spread over new replicas.
 *
 * Node's `maxRequestsPerSocket` alone only announces the close and leaves it to the client: a client that ignores the
 * announcement gets an empty 503 for all further requests, past every hook, log and metric. Here the connection is closed,
 * and Node's limit only keeps requests that are pipelined behind the last one from being run without a response.
 */
export function limitRequestsPerConnection(server: Server, limit: number): void {
  const counts = new WeakMap<Socket, number>();
  const count = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const requests = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, requests);
    if (requests >= limit) response.setHeader('connection', 'close');
  };
  server.maxRequestsPerSocket = limit;
  // Before all other listeners: the header must be set before the response begins.
  server.prependListener('request', count);
  server.prependListener('checkExpectation', count);
}
