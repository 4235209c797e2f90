import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { IncomingAnswer, OutgoingRequest } from './outgoing-request.ts';
import { untilAborted } from '@berth/service/waiting/until-aborted';

/** API servers close an idle connection after 90 s; closing it earlier avoids a request on a closing connection. */
const idleMs = 60_000;
/** What a server may send ahead of the reader of one answer. A watch holds no more in memory while the database is slow. */
const answerWindow = 128 * 1024;
/** The same for all answers of a connection: so large that answers that nobody reads hold up no other. */
const sessionWindow = 64 * answerWindow;

interface Session {
  readonly http2: ClientHttp2Session;
  streams: number;
}

/** Requests with HTTP/2 over one connection, which the first one opens. `open` gives null where the server does not speak it. */
export function http2Requests(open: () => Promise<TLSSocket | null>) {
  const sessions = new Set<Session>();
  let current: Session | undefined;
  /** Shared by all requests that come meanwhile. */
  let opening: Promise<Session | null> | undefined;

  async function openSession(): Promise<Session | null> {
    const socket = await open();
    if (socket === null) return null;
    const http2 = connect('https://cluster', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: answerWindow },
    });
    const session = { http2, streams: 0 };
    sessions.add(session);
    http2
      .on('connect', () => http2.setLocalWindowSize(sessionWindow))
      // Its requests get the error.
      .on('error', () => undefined)
      .on('close', () => sessions.delete(session))
      .setTimeout(idleMs, () => {
        if (session.streams === 0) http2.close();
      });
    current = session;
    return session;
  }

  async function usableSession(): Promise<Session | null> {
    if (current && isUsable(current)) return current;
    opening ??= openSession().finally(() => {
      opening = undefined;
    });
    return await opening;
  }

  return {
    /** Null where the server does not speak HTTP/2. */
    async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer | null> {
      let session = await untilAborted(usableSession(), signal);
      // It may have been closed while this request waited.
      while (session && !isUsable(session)) session = await untilAborted(usableSession(), signal);
      return session && (await answerTo(session, request, signal));
    },

    /** What it still answers is read to its end. */
    suspect(): void {
      current?.http2.close();
      current = undefined;
    },

    [Symbol.dispose](): void {
      for (const { http2 } of sessions) http2.destroy();
    },
  };
}

const isUsable = ({ http2 }: Session): boolean => !http2.closed && !http2.destroyed;

const answerTo = (
  session: Session,
  { method, authority, path, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingAnswer> =>
  new Promise((resolve, reject) => {
    const stream = session.http2.request(
      { ':method': method, ':authority': authority, ':path': path, ...headers },
      { endStream: body === undefined, signal },
    );
    session.streams += 1;
    // An idle connection must not keep its process from ending.
    session.http2.ref();
    stream
      .on('response', ({ ':status': status = 0, 'retry-after': retryAfter }) =>
        resolve({ status, retryAfter, body: wholeBody(stream) }),
      )
      .on('error', reject)
      .on('close', () => {
        session.streams -= 1;
        if (session.streams === 0) session.http2.unref();
        reject(cutOff());
      });
    if (body !== undefined) stream.end(body);
  });

/** Node ends the stream of a lost connection like one that the server has ended. */
async function* wholeBody(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = stream;
  yield* chunks;
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw cutOff();
}

const cutOff = () => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });
