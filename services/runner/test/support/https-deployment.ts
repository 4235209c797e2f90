import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { portOf } from '@berth/testing/network/port-of';

interface ReceivedCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface HttpsDeployment extends AsyncDisposable {
  readonly port: number;
  /** The authority of its certificate, which is for `localhost` and 127.0.0.1. */
  readonly ca: string;
  readonly calls: ReceivedCall[];
  /** Its response; 200 with `{}` unless given. */
  respond(how: (call: ReceivedCall, response: ServerResponse) => unknown): void;
}

/** A deployment's workload behind TLS with its own certificate authority. */
export async function startHttpsDeployment(): Promise<HttpsDeployment> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-deployment-'));
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  await rm(folder, { recursive: true, force: true });

  const calls: ReceivedCall[] = [];
  let respond: (call: ReceivedCall, response: ServerResponse) => unknown = (_call, response) => response.end('{}');
  const server = createServer({ cert, key }, (request, response) => void receive(request, response));
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const body = await text(request).catch(() => '');
    const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    await respond(call, response);
  }
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);

  return {
    port,
    ca: pem.authority,
    calls,
    respond: (how) => {
      respond = how;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
