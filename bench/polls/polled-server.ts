import { startNameServer } from '@berth/devstack';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { portOf } from '@berth/testing/network/port-of';

/** The name in its certificate, split into a deployment's namespace and its cluster's domain. */
export const polledHost = { namespace: 'kubernetes', domain: 'default.svc' };

const status = JSON.stringify({ status: { name: 'Idle', color: 'success' }, notices: [] });

export interface PolledServer extends AsyncDisposable {
  /** The times of polls, by `performance.now()`. */
  readonly polledAt: number[];
  /** Settings with which a runner finds it. */
  readonly runnerSettings: Record<string, string>;
  /** The same request without a runner, on a new connection as for each poll. */
  request(): Promise<void>;
}

/** A server that answers for all deployments, and the name server that resolves to it. */
export async function startPolledServer(): Promise<PolledServer> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-polls-'));
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  await rm(folder, { recursive: true, force: true });

  const polledAt: number[] = [];
  const server = createServer({ cert, key }, (_request, response) => {
    polledAt.push(performance.now());
    response.end(status);
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opening.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = portOf(server);
  const names = opening.use(await startNameServer({ host: '127.0.0.1', port: 0 }, async () => ['127.0.0.1']));
  const opened = opening.move();
  return {
    polledAt,
    runnerSettings: {
      CALL_CA: pem.authority,
      CALL_PORT: String(port),
      CALL_ALLOW_ADDRESSES: '127.0.0.1',
      CALL_NAME_SERVERS: `127.0.0.1:${names.port}`,
    },
    async request() {
      const servername = `${polledHost.namespace}.${polledHost.domain}`;
      const options = { host: '127.0.0.1', port, servername, ca: pem.authority, agent: false, path: '/status' };
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      get(options, (response) => response.resume().on('end', resolve)).on('error', reject);
      await promise;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
