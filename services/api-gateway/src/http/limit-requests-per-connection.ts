import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes each connection with the answer to its last allowed request, so that clients spread over new replicas.
 *
 * Node alone (`maxRequestsPerSocket`) only announces the close and leaves it to the client: one that overlooks the
 * announcement has all its further requests refused with an empty 503, of which no hook, log or metric tells. With the
 * close that limit keeps what was sent behind the last request from being run without an answer.
 */
export function limitRequestsPerConnection(server: Server, most: number): void {
  const seen = new WeakMap<Socket, number>();
  const count = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const requests = (seen.get(socket) ?? 0) + 1;
    seen.set(socket, requests);
    if (requests >= most) response.setHeader('connection', 'close');
  };
  server.maxRequestsPerSocket = most;
  // First of all listeners: the header must be there when the answer begins.
  server.prependListener('request', count);
  server.prependListener('checkExpectation', count);
}
