import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from '@berth/service/waiting/pause';

export interface Linger {
  forMs: number;
  mostBytes: number;
}

const checkMs = 20;

/**
 * Where an answer closes a connection before the whole request has arrived, as a 413 does: sends the end of the stream, and reads and
 * drops what the client still sends, until the client closes too or a limit is reached. Node would close at once; the system then
 * answers further bytes with a reset, and a client that is still writing never reads its answer. nginx calls it `lingering_close`.
 */
export function lingerAfterRefusals(server: Server, limits: Linger): void {
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // Before Node's own listener, which closes the connection by `destroySoon`.
    response.prependListener('finish', () => {
      if (!request.complete) socket.destroySoon = () => void linger(socket, limits);
    });
  };
  server.prependListener('request', watch);
  server.prependListener('checkExpectation', watch);
}

/** Ends within `forMs`; the bytes are counted every few ms, so a fast client may send somewhat more. */
async function linger(socket: Socket, { forMs, mostBytes }: Linger): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  const until = performance.now() + forMs;
  const mostRead = socket.bytesRead + mostBytes;
  socket.end();
  while (!socket.destroyed && performance.now() < until && socket.bytesRead < mostRead) {
    await pause(checkMs, closed.signal);
  }
  socket.destroy();
}
