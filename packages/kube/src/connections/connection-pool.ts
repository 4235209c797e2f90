import type { TLSSocket } from 'node:tls';
import { type buildConnector, Pool } from 'undici';
import { ConnectionLost, orConnectionLost, wholeBody } from './connection-lost.ts';
import type { IncomingAnswer, OutgoingRequest } from './outgoing-request.ts';
import { untilAborted } from '@berth/service/waiting/until-aborted';

/** The limit for HTTP/1.1, where a connection serves one request at a time. */
const maxConnections = 32;
/** API servers close an idle connection after 90 s; closing it earlier avoids a request on a closing connection. */
const idleMs = 60_000;
/** How far a server may send ahead of the reader of one answer. Bounds the memory of a watch while the database is slow. */
const answerWindow = 128 * 1024;
/** The same for all answers of a connection, so large that unread answers do not hold up others. */
const connectionWindow = 64 * answerWindow;

export interface ConnectionPool extends Disposable {
  send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer>;
  /** Its requests share a connection. */
  isShared(): boolean;
  /** Closes the connections after the answers in flight have been read. */
  finish(): Promise<void>;
}

export function openPool(origin: string, open: () => Promise<TLSSocket>): ConnectionPool {
  let connected = 0;
  let isHttp2 = false;
  /** Opened by the first request. */
  let spare: TLSSocket | undefined;
  /**
   * Fulfilled while the pool has a connection. Requests wait here for the first one: undici would try its queued requests one
   * after the other on a server that never answers, long after their deadlines.
   */
  let ready: Promise<void> | undefined;

  async function openFirst(): Promise<void> {
    try {
      spare = (await open()).on('error', () => undefined);
    } catch (error) {
      ready = undefined;
      throw error;
    }
  }
  async function nextSocket(): Promise<TLSSocket> {
    const socket = spare;
    spare = undefined;
    const usable = socket && !socket.destroyed ? socket : await open();
    isHttp2 = usable.alpnProtocol === 'h2';
    return usable;
  }
  async function hand(done: buildConnector.Callback): Promise<void> {
    let socket: TLSSocket;
    try {
      socket = await nextSocket();
    } catch (error) {
      return done(error instanceof Error ? error : new ConnectionLost(error), null);
    }
    done(null, socket);
  }
  const lost = (): void => {
    if (connected === 0) ready = undefined;
  };

  const pool = new Pool(origin, {
    connections: maxConnections,
    connect: (_, done) => void hand(done),
    allowH2: true,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    initialWindowSize: answerWindow,
    connectionWindowSize: connectionWindow,
    // Calls have deadlines of their own, and a watch may be silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
    pingInterval: 0,
  })
    .on('connect', () => {
      connected += 1;
    })
    .on('disconnect', () => {
      connected -= 1;
      lost();
    })
    .on('connectionError', lost);

  return {
    async send({ method, path, headers, body }, signal) {
      ready ??= openFirst();
      await untilAborted(ready, signal);
      const answer = await pool
        .request({ method, path, headers, body: body ?? null, signal })
        .catch((error: unknown) => Promise.reject(orConnectionLost(error)));
      const retryAfter = answer.headers['retry-after'];
      return {
        status: answer.statusCode,
        retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        warnings: [answer.headers.warning ?? []].flat(),
        body: wholeBody(answer.body),
      };
    },
    isShared: () => isHttp2 && connected > 0,
    finish: () => pool.close().catch(() => undefined),
    [Symbol.dispose](): void {
      spare?.destroy();
      void pool.destroy(new ConnectionLost()).catch(() => undefined);
    },
  };
}
