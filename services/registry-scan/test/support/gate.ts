import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { portOf } from '@berth/testing/network/port-of';

export interface GatedRequest {
  /** Such as `GET /v2/_catalog`. */
  line: string;
  /** The operation of an API of AWS, such as `AmazonSQS.DeleteMessage`; empty for others. */
  action: string;
  body: Buffer;
}

/** Stands before a server, and keeps a client waiting at any of its requests. */
export interface Gate extends AsyncDisposable {
  readonly origin: string;
  /** Resolves when a request fits: neither it nor any after it is answered until the gate opens. */
  holdAt(fits: (request: GatedRequest) => boolean): Promise<void>;
  /** As `holdAt`, after half of the answer has been sent. */
  holdWithin(fits: (request: GatedRequest) => boolean): Promise<void>;
  /** Lets requests through again. The connections of those that were held end. */
  open(): void;
}

interface Hold {
  fits: (request: GatedRequest) => boolean;
  isWithinAnswer: boolean;
  reached: () => void;
}

/** `change` may rewrite the body of a request. */
export async function startGate(target: string, change = ({ body }: GatedRequest): Buffer => body): Promise<Gate> {
  let hold: Hold | undefined;
  let isShut = false;
  const held = new Set<ServerResponse>();

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request;
    const action = String(headers['x-amz-target'] ?? '');
    const gated = { line: `${method} ${url}`, action, body: await buffer(request) };
    const holding = !isShut && hold?.fits(gated) ? hold : undefined;
    if (isShut || holding) held.add(response);
    if (isShut) return;
    if (holding) isShut = true;
    if (holding?.isWithinAnswer === false) return holding.reached();

    const body = change(gated);
    const forwarded = { ...headers, host: new URL(target).host, 'content-length': body.length };
    const outgoing = send(new URL(url, target), { method, headers: forwarded, agent: false });
    outgoing.end(body);
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject);
    });
    const answer = await buffer(incoming);
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    if (!holding) return void response.end(answer);
    response.write(answer.subarray(0, answer.length / 2), holding.reached);
  }

  const server = createServer((request, response) => {
    // The server may have been killed: its client sees the end of the connection.
    pass(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server);

  const holdFrom = (isWithinAnswer: boolean) => (fits: Hold['fits']) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = { fits, isWithinAnswer, reached: resolve };
    return promise;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    holdAt: holdFrom(false),
    holdWithin: holdFrom(true),
    open() {
      hold = undefined;
      isShut = false;
      for (const response of held) response.destroy();
      held.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
