import type { TLSSocket } from 'node:tls';
import { type ConnectionPool, openPool } from './connection-pool.ts';
import { openSocket, type SocketTarget } from './open-socket.ts';
import type { IncomingAnswer, OutgoingRequest } from './outgoing-request.ts';

export interface Connections extends Disposable {
  send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer>;
  /** A request was not answered in time. Nothing more is sent over its connection, which may be dead. */
  suspect(): void;
}

/**
 * The connections to one server. API servers speak HTTP/2, where the dozen watches of a cluster and all other requests share
 * one connection. HTTP/1.1 is used only if a proxy in front of the cluster speaks nothing else; each watch then needs a
 * connection of its own, of 65 KB.
 */
export function openConnections(origin: string, target: () => SocketTarget): Connections {
  const over = new AbortController();
  const open = (): Promise<TLSSocket> => openSocket(target(), ['h2', 'http/1.1'], over.signal);
  const all = new Set<ConnectionPool>();
  let current: ConnectionPool | undefined;

  function usablePool(): ConnectionPool {
    current ??= openPool(origin, open);
    all.add(current);
    return current;
  }

  return {
    send: (request, signal) => usablePool().send(request, signal),
    suspect(): void {
      const suspected = current;
      if (!suspected?.isShared()) return;
      current = undefined;
      void suspected.finish().then(() => all.delete(suspected));
    },
    [Symbol.dispose](): void {
      over.abort();
      for (const pool of all) pool[Symbol.dispose]();
    },
  };
}
