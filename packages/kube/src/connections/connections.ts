import type { TLSSocket } from 'node:tls';
import { http1Requests } from './http1-requests.ts';
import { http2Requests } from './http2-requests.ts';
import { openSocket, type SocketTarget } from './open-socket.ts';
import type { IncomingAnswer, OutgoingRequest } from './outgoing-request.ts';

export interface Connections extends Disposable {
  send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer>;
  /** A request was not answered in time. Nothing more is sent over its connection, which may be dead. */
  suspect(): void;
}

/**
 * The connections to one server. API servers speak HTTP/2, where the dozen watches of a cluster and all other requests share
 * one connection: with HTTP/1.1 each watch has one of its own, of 65 KB. That is for a proxy in front of a cluster that
 * speaks nothing else.
 */
export function openConnections(target: () => SocketTarget): Connections {
  const over = new AbortController();
  const open = (protocols: string[]) => openSocket(target(), protocols, over.signal);
  let speaksHttp1 = false;
  /** The connection that showed that the server speaks HTTP/1.1 only. */
  let spare: TLSSocket | undefined;

  const http1 = http1Requests(() => {
    const socket = spare;
    spare = undefined;
    return socket && !socket.destroyed ? Promise.resolve(socket) : open(['http/1.1']);
  });
  const http2 = http2Requests(async () => {
    const socket = await open(['h2', 'http/1.1']);
    if (socket.alpnProtocol === 'h2') return socket;
    speaksHttp1 = true;
    spare?.destroy();
    spare = socket.on('error', () => undefined);
    return null;
  });

  return {
    async send(request, signal) {
      const answer = speaksHttp1 ? null : await http2.send(request, signal);
      return answer ?? (await http1.send(request, signal));
    },
    suspect: () => http2.suspect(),
    [Symbol.dispose](): void {
      over.abort();
      spare?.destroy();
      http1[Symbol.dispose]();
      http2[Symbol.dispose]();
    },
  };
}
