import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Service } from '@berth/service/service';
import { ReplyTooLarge } from '@berth/egress/egress-errors';
import { readBounded } from '@berth/egress/read-bounded';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { pushFormats } from './formats/push-formats.ts';
import type { PushHint } from '../connection/push-hint.ts';

export interface PushListenerOptions {
  host: string;
  port: number;
  /** Registries of the configuration prove that they know it: they send it in a header, or sign with it. */
  token: string;
  /** That of a created registry; null if there is none. */
  createdTokenOf: (id: string) => Promise<string | null>;
  /** Keeps the hints; with the id of the created registry that sent them, null for those of the configuration. */
  onHints: (hints: PushHint[], createdId: string | null) => Promise<void>;
  log: Pick<Service['log'], 'warn'>;
}

export interface PushListener extends AsyncDisposable {
  readonly port: number;
}

/** The fault is here: the registry should send its event again. */
class NotNow extends Error {
  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = 'NotNow';
  }
}

const maxBytes = 1024 * 1024;
const mostStrangers = 100;

/** A format's path and, after it, the id of a created registry. */
const createdPath = /^(\/.*)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Serves `POST /events` and its siblings: push events, each format at its own path. Below it, each created registry has its own. */
export async function startPushListener({
  host,
  port,
  token,
  createdTokenOf,
  onHints,
  log,
}: PushListenerOptions): Promise<PushListener> {
  const strangers = new Set<Socket>();

  const tokenOf = (id: string) =>
    createdTokenOf(id).catch((cause: unknown) => {
      throw new NotNow('The token of a created registry cannot be read', { cause });
    });

  async function answer(request: IncomingMessage): Promise<number> {
    const { headers } = request;
    const path = URL.parse(request.url ?? '/', 'http://push')?.pathname ?? '';
    const [, formatPath = path, createdId = null] = createdPath.exec(path) ?? [];
    const format = pushFormats.get(formatPath);
    if (!format) return 404;
    if (request.method !== 'POST') return 405;
    const expected = createdId === null ? token : await tokenOf(createdId);
    // A registry that does not exist looks like one with another token.
    if (expected === null || !format.mayBeAuthorized(headers, expected)) return 401;
    if (!format.isSigned) strangers.delete(request.socket);

    const body = await readBounded(request, maxBytes);
    if (format.isSigned && !format.isSigned(headers, body, expected)) return 401;
    strangers.delete(request.socket);
    const hints = format.hintsIn(parsedBoundedJson(body), headers);
    if (!hints) return 400;
    await onHints(hints, createdId).catch((cause: unknown) => {
      throw new NotNow('The hints of a push event cannot be stored', { cause });
    });
    return 202;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = await answer(request).catch((error: unknown) => {
      if (error instanceof ReplyTooLarge) return 413;
      log.warn({ err: error }, 'reading a push event failed');
      return error instanceof NotNow ? 503 : 400;
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
