import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Answers that go on for as long as their clients stay. */
const streams = new WeakSet<ServerResponse>();
const begins = 'berth-stream-begins';

/** Nothing may wait behind this answer: it has no end, and a connection that is not read does not show that its client is gone. */
export function beginStream(response: ServerResponse): void {
  streams.add(response);
  response.emit(begins);
}

interface Line {
  running: ServerResponse;
  waiting: { response: ServerResponse; begin: () => void }[];
}

/**
 * Runs the requests of a connection one after the other. Node runs those that are pipelined all at once and keeps their answers
 * until their turn has come: a client that sends a thousand and reads nothing would fill the memory. So would the requests that
 * wait, so a connection is not read while one does. Few clients pipeline.
 */
export function oneAtATime(): (listener: RequestListener) => RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const guarded = new WeakSet<Socket>();

  const holds = (socket: Socket): boolean => (lines.get(socket)?.waiting.length ?? 0) > 0;
  function stopReading(socket: Socket): void {
    const stop = () => holds(socket) && socket.pause();
    // Node reads on by itself when the client has taken an answer that was too long to be sent at once.
    if (!guarded.has(socket)) socket.on('resume', stop);
    guarded.add(socket);
    // What has arrived is parsed first.
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
