import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Runs the requests of a connection one after the other. Node runs those that are pipelined all at once and keeps their answers
 * until their turn has come: a client that sends a thousand and reads nothing would fill the memory. Few clients pipeline.
 */
export function oneAtATime(): (listener: RequestListener) => RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();

  return (listener) => (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const begin = (): void => {
      response.once('close', next);
      listener(request, response);
    };
    const next = (): void => {
      const following = waiting.get(socket)?.shift();
      if (following && !socket.destroyed) following();
      else waiting.delete(socket);
    };
    const line = waiting.get(socket);
    if (line) {
      line.push(begin);
      return;
    }
    waiting.set(socket, []);
    begin();
  };
}
