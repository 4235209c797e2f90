import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For answers that last until their clients leave. */
const streams = new WeakSet<ServerResponse>();
const begins = 'berth-stream-begins';

/** Closes the connection if a request waits behind this endless answer: an unread connection would hide that the client is gone. */
export function beginStream(response: ServerResponse): void {
  streams.add(response);
  response.emit(begins);
}

interface Line {
  running: ServerResponse;
  waiting: { response: ServerResponse; begin: () => void }[];
}

/**
 * Runs the requests of a connection one after the other. Node runs pipelined requests all at once and buffers their answers, so a
 * client that sends a thousand and reads nothing would fill the memory. Waiting requests would fill it, too, so a connection is
 * not read while one waits. Few clients pipeline.
 */
export function oneAtATime(): (listener: RequestListener) => RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const guarded = new WeakSet<Socket>();

  const holds = (socket: Socket): boolean => (lines.get(socket)?.waiting.length ?? 0) > 0;
  function stopReading(socket: Socket): void {
    const stop = () => holds(socket) && socket.pause();
    // Node resumes reading by itself when the client has read a long answer.
    if (!guarded.has(socket)) socket.on('resume', stop);
    guarded.add(socket);
    // Lets Node parse the bytes that have arrived.
    process.nextTick(stop);
  }

  function refuseBehindStream(socket: Socket): void {
    const line = lines.get(socket);
    if (line && line.waiting.length > 0 && streams.has(line.running)) socket.destroy();
  }

  function next(socket: Socket): void {
    const line = lines.get(socket);
    const following = socket.destroyed ? undefined : line?.waiting.shift();
    if (!line || !following) {
      lines.delete(socket);
      return;
    }
    line.running = following.response;
    if (!holds(socket)) socket.resume();
    following.begin();
  }

  return (listener) => (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const begin = (): void => {
      response.once('close', () => next(socket));
      response.once(begins, () => refuseBehindStream(socket));
      listener(request, response);
    };
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, { running: response, waiting: [] });
      begin();
      return;
    }
    line.waiting.push({ response, begin });
    stopReading(socket);
    refuseBehindStream(socket);
  };
}
