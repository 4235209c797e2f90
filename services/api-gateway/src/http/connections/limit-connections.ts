import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from '@berth/service/waiting/pause';

export interface ConnectionLimit {
  readonly most: number;
  /** A client that does not read its answer for this long is disconnected. */
  readonly slowReaderMs: number;
  /** Limit of the unread bytes of all clients together; above it, the clients with the most are disconnected. */
  readonly mostUnreadBytes: number;
  readonly sweepMs?: number;
  readonly onClosed?: (which: 'waiting' | 'new' | 'slow') => void;
}

/**
 * Limits the number of open connections. Node's `maxConnections` refuses new ones, so an attacker could open that many, send
 * nothing and keep everybody else out. Here the connection that has waited the longest without a whole request is closed; a new
 * one is refused only if all others are being answered. Answers end by their deadlines, and unread ones are cut off.
 * Without it, and without a proxy in front: one client holds all connections, or fills the memory with answers that it does not read.
 */
export function limitConnections(
  server: Server,
  { most, slowReaderMs, mostUnreadBytes, sweepMs = 1_000, onClosed = () => undefined }: ConnectionLimit,
): void {
  let open = 0;
  /** A TLS connection has a different socket after its handshake, so connections are identified by name. */
  const names = new WeakMap<Socket, string>();
  /** Connections without a whole request, by name, the longest waiting first. */
  const waiting = new Map<string, Socket>();
  /** The number of requests of each connection that are being answered. */
  const answering = new Map<Socket, number>();
  /** Sockets that have an idle timeout. */
  const timed = new WeakSet<Socket>();
  const listenedTo = new WeakSet<Socket>();

  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    names.set(socket, name);
    open += 1;
    socket.once('close', () => {
      open -= 1;
      waiting.delete(name);
      answering.delete(socket);
    });
    if (open > most && !makeRoom()) {
      onClosed('new');
      socket.destroy();
      return;
    }
    waiting.set(name, socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    const name = nameOf(socket);
    names.set(socket, name);
    socket.once('close', () => answering.delete(socket));
    if (waiting.has(name)) waiting.set(name, socket);
  });

  function makeRoom(): boolean {
    for (const [name, socket] of waiting) {
      waiting.delete(name);
      onClosed('waiting');
      socket.destroy();
      return true;
    }
    return false;
  }

  function watch(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const name = names.get(socket) ?? '';
    let isWhole = false;
    let isOver = false;
    const begin = () => {
      // A request refused by its head is answered before its body has arrived.
      if (isOver) return;
      isWhole = true;
      answering.set(socket, (answering.get(socket) ?? 0) + 1);
      waiting.delete(name);
    };
    if (hasBody(request)) request.once('end', begin);
    else begin();

    response.once('close', () => {
      isOver = true;
      timed.delete(socket);
      if (socket.destroyed) return;
      const others = (answering.get(socket) ?? 0) - (isWhole ? 1 : 0);
      // Requests that are pipelined behind this one.
      if (others > 0) answering.set(socket, others);
      else {
        answering.delete(socket);
        // Moves it to the end.
        waiting.set(name, socket);
      }
    });
  }
  server.prependListener('request', watch);
  server.prependListener('checkExpectation', watch);

  function cutOff(socket: Socket): void {
    onClosed('slow');
    socket.destroy();
  }
  /** The timeout of a socket is for any activity, so it is set only while bytes wait for the client. */
  function limitTime(socket: Socket): void {
    const isUnread = socket.writableLength > 0;
    if (isUnread === timed.has(socket)) return;
    if (isUnread) {
      timed.add(socket);
      socket.setTimeout(slowReaderMs);
      if (!listenedTo.has(socket)) socket.prependListener('timeout', () => timed.has(socket) && cutOff(socket));
      listenedTo.add(socket);
    } else {
      timed.delete(socket);
      socket.setTimeout(0);
    }
  }
  function cutOffSlowReaders(): void {
    const unread: Socket[] = [];
    for (const socket of answering.keys()) {
      limitTime(socket);
      if (socket.writableLength > 0) unread.push(socket);
    }
    let bytes = unread.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (bytes <= mostUnreadBytes) return;
    for (const socket of unread.toSorted((x, y) => y.writableLength - x.writableLength)) {
      if (bytes <= mostUnreadBytes) return;
      bytes -= socket.writableLength;
      cutOff(socket);
    }
  }
  const stopped = new AbortController();
  server.once('close', () => stopped.abort());
  server.once('listening', () => void sweep());
  async function sweep(): Promise<void> {
    while (!stopped.signal.aborted) {
      await pause(sweepMs, stopped.signal);
      cutOffSlowReaders();
    }
  }
}

const nameOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
