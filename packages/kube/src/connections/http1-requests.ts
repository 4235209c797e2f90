import type { ClientRequestArgs } from 'node:http';
import { Agent, request } from 'node:https';
import type { Duplex } from 'node:stream';
import type { IncomingAnswer, OutgoingRequest } from './outgoing-request.ts';

/** API servers close an idle connection after 90 s; closing it earlier avoids a request on a closing connection. */
const idleMs = 60_000;

/** Requests with HTTP/1.1 over a bounded set of connections, each of which serves one at a time. */
export function http1Requests(open: () => Promise<Duplex>) {
  const agent = new SocketAgent(open, { keepAlive: true, maxSockets: 32, maxFreeSockets: 4, timeout: idleMs });

  return {
    send: ({ method, authority, path, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> =>
      new Promise((resolve, reject) => {
        const sent = request({ method, path, headers: { host: authority, ...headers }, agent, signal });
        sent.on('response', (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, retryAfter: answered['retry-after'], body: response });
        });
        sent.on('error', reject).end(body);
      }),
    [Symbol.dispose]: (): void => agent.destroy(),
  };
}

/** Its connections are made by a function, which knows the server. */
class SocketAgent extends Agent {
  readonly #open: () => Promise<Duplex>;

  constructor(open: () => Promise<Duplex>, options: ConstructorParameters<typeof Agent>[0]) {
    super(options);
    this.#open = open;
  }

  override createConnection(_: ClientRequestArgs, done?: Opened): undefined {
    void this.#connect(done);
  }

  async #connect(done: Opened = () => undefined): Promise<void> {
    let socket: Duplex;
    try {
      socket = await this.#open();
    } catch (error) {
      // Its type wants a connection even where there is none.
      return void Reflect.apply(done, undefined, [error]);
    }
    done(null, socket);
  }
}

type Opened = (error: Error | null, socket: Duplex) => void;
