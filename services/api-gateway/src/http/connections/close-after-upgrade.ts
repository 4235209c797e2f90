import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Closes the connection with the answer to a request that asks for another protocol, which the gateway does not support. Node's
 * parser stops at such a request, so requests pipelined behind it would never be answered.
 */
export function closeAfterUpgrade(server: Server): void {
  const close = ({ headers }: IncomingMessage, response: ServerResponse) => {
    if (headers.upgrade !== undefined) response.setHeader('connection', 'close');
  };
  // Before all other listeners: the header must be set before the response begins.
  server.prependListener('request', close);
  server.prependListener('checkExpectation', close);
}
