import { hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Service } from '@berth/service/service';
import { ReplyTooLarge } from '@berth/egress/egress-errors';
import { readBounded } from '@berth/egress/read-bounded';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { hintsIn, PushEnvelope, type PushHint } from './push-envelope.ts';

export interface PushListenerOptions {
  host: string;
  port: number;
  /** The token that registries send as `Authorization: Bearer …`. */
  token: string;
  onHints: (hints: PushHint[]) => void;
  log: Pick<Service['log'], 'warn'>;
}

export interface PushListener extends AsyncDisposable {
  readonly port: number;
}

const maxBytes = 1024 * 1024;
const mostStrangers = 100;

/** Serves `POST /events`: push events in the format of the distribution project. */
export async function startPushListener({
  host,
  port,
  token,
  onHints,
  log,
}: PushListenerOptions): Promise<PushListener> {
  const expected = sha256(`Bearer ${token}`);
  const isAuthorized = ({ headers }: IncomingMessage) => timingSafeEqual(sha256(headers.authorization ?? ''), expected);

  const strangers = new Set<Socket>();

  async function answer(request: IncomingMessage): Promise<number> {
    if (URL.parse(request.url ?? '/', 'http://push')?.pathname !== '/events') return 404;
    if (request.method !== 'POST') return 405;
    if (!isAuthorized(request)) return 401;
    strangers.delete(request.socket);

    const body = await readBounded(request, maxBytes);
    const { data } = PushEnvelope.safeParse(parsedBoundedJson(body));
    if (!data) return 400;
    onHints(hintsIn(data));
    return 202;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = await answer(request).catch((error: unknown) => {
      if (error instanceof ReplyTooLarge) return 413;
      log.warn({ err: error }, 'reading a push event failed');
      return 400;
    });
    // Closes the connection instead of waiting for the rest of the body.
    const headers = { 'content-length': 0, ...(!request.complete && { connection: 'close' }) };
    response.writeHead(status, status === 405 ? { ...headers, allow: 'POST' } : headers).end();
  }

  /**
   * Limits the connections that have not sent the token. A new one closes the oldest of them, so that idle strangers
   * cannot keep a registry out.
   */
  function limitStrangers(socket: Socket): void {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size <= mostStrangers || !oldest) return;
    strangers.delete(oldest);
    oldest.destroy();
  }

  const server = createServer({ requestTimeout: 15_000, headersTimeout: 5_000, maxHeaderSize: 8 * 1024 });
  server.on('connection', limitStrangers);
  server.on('request', (request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
