import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Bug } from '@berth/contracts/errors';
import { type HandedCode, handedCode } from './handed-code.ts';
import { isOwnConnection } from './is-own-connection.ts';

export interface Loopback {
  port: number;
  /** From now on, one browser is sent to `address`, and one code with this state is taken. */
  expect(login: { address: string; state: string }): { startUrl: string; code: Promise<HandedCode> };
  close(): Promise<void>;
}

/**
 * Listens on a port of this computer for the code of a sign-in. A browser begins at `startUrl`, so that the address of the provider
 * with its state is in no process list.
 */
export async function listenForCode(env: Readonly<Record<string, string | undefined>>): Promise<Loopback> {
  const startPath = `/${randomBytes(16).toString('base64url')}`;
  let login: { address: string; state: string } | null = null;
  let isStarted = false;
  let isHanded = false;
  let take: (handed: HandedCode) => void = () => undefined;
  const code = new Promise<HandedCode>((resolve) => (take = resolve));

  const server = createServer((request, reply) => {
    void isOwnConnection(request.socket, env).then((isOwn) => handle(request, reply, isOwn));
  });
  server.requestTimeout = 10_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Bug('the server has no port');
  const { port } = bound;

  function handle(request: IncomingMessage, reply: ServerResponse, isOwn: boolean): void {
    if (!isOwn)
      return answer(
        reply,
        403,
        'The terminal belongs to another user of this computer. --no-browser takes the code from you.',
      );
    const path = request.url ?? '/';
    // Any page may send any path here, such as `//`, and must not end the command by it.
    if (!URL.canParse(path, 'http://127.0.0.1')) return answer(reply, 400, 'This is no address.');
    const { pathname, search } = new URL(path, 'http://127.0.0.1');
    // A foreign page may reach this port under a name of its own that resolves to 127.0.0.1.
    if (login === null || request.method !== 'GET' || request.headers.host !== `127.0.0.1:${port}`)
      return answer(reply, 404, 'There is nothing here.');
    if (pathname === startPath) {
      if (isStarted) return answer(reply, 410, 'This sign-in was begun already. Run berth login again.');
      isStarted = true;
      return answer(reply, 302, 'Going to the sign-in', { location: login.address });
    }
    if (pathname !== '/' || search === '') return answer(reply, 404, 'There is nothing here.');
    const handed = handedCode(search, login.state);
    if (!handed) return answer(reply, 400, 'This code is of another sign-in. The terminal still waits for its own.');
    if (isHanded) return answer(reply, 410, 'The terminal has a code already.');
    isHanded = true;
    answer(reply, 200, 'The terminal has the code: it says as whom you are signed in. You can close this page.');
    take(handed);
  }

  return {
    port,
    expect(expected) {
      login = expected;
      return { startUrl: `http://127.0.0.1:${port}${startPath}`, code };
    },
    async close() {
      server.close();
      server.closeIdleConnections();
      // Enough for the last answer, which is small. After that, a browser that keeps its connection must not keep the command.
      setTimeout(() => server.closeAllConnections(), 100).unref();
      await once(server, 'close');
    },
  };
}

function answer(reply: ServerResponse, status: number, words: string, headers: Record<string, string> = {}): void {
  reply.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
    ...headers,
  });
  reply.end(`<!doctype html><meta charset="utf-8"><title>Berth</title><p>${words}</p>\n`);
}
