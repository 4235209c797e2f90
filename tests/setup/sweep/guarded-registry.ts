import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOf } from '@berth/testing/network/port-of';

export interface GuardedRegistry extends AsyncDisposable {
  /** `REGISTRIES` of registry-scan. */
  readonly setting: string;
  readonly password: string;
  /** What the token server issued. */
  readonly token: string;
  /** How many requests came with the credentials, and how many with the token. */
  readonly seen: { credentials: number; token: number };
  /** The registry behind it. */
  upstream: string;
}

/** The repository whose errors repeat every credential that the registry knows. */
const reflecting = 'charts/reflecting';

/** A registry with a token server, in front of one that needs no credentials. */
export async function startGuardedRegistry(): Promise<GuardedRegistry> {
  const [password = '', token = ''] = [24, 24].map((length) => randomBytes(length).toString('hex'));
  const folder = await mkdtemp(join(tmpdir(), 'berth-credentials-'));
  const credentials_file = join(folder, 'credentials.json');
  await writeFile(credentials_file, JSON.stringify({ username: 'scan', password }), { mode: 0o600 });
  const basic = `Basic ${Buffer.from(`scan:${password}`).toString('base64')}`;
  const seen = { credentials: 0, token: 0 };

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const url = `http://127.0.0.1:${port}`;
  const source = { url, allow_http: true, credentials_file, poll_interval_seconds: 1 };
  const registry: GuardedRegistry = {
    setting: JSON.stringify([source]),
    password,
    token,
    seen,
    upstream: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  return registry;

  async function answer({ url: path = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path.startsWith('/token')) {
      if (headers.authorization !== basic) return refuse(response, 401);
      seen.credentials += 1;
      return send(response, 200, JSON.stringify({ token, expires_in: 300 }));
    }
    if (headers.authorization !== `Bearer ${token}`) {
      response.setHeader('www-authenticate', `Bearer realm="${url}/token",service="guarded"`);
      return refuse(response, 401);
    }
    seen.token += 1;
    if (path.includes(reflecting)) return refuse(response, 400);
    const reply = await fetch(`${registry.upstream}${path}`, { headers: { accept: headers.accept ?? '*/*' } });
    for (const name of ['content-type', 'docker-content-digest']) {
      const value = reply.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    const body = Buffer.from(await reply.arrayBuffer());
    if (!path.startsWith('/v2/_catalog')) return send(response, reply.status, body);
    const { repositories } = JSON.parse(body.toString()) as { repositories: string[] };
    return send(response, 200, JSON.stringify({ repositories: [...repositories, reflecting] }));
  }

  /** Registries repeat what they were sent in their errors. */
  function refuse(response: ServerResponse, status: number): void {
    const message = `refused scan:${password} ${basic} Bearer ${token}`;
    response.setHeader('x-request', message);
    send(response, status, JSON.stringify({ errors: [{ code: 'DENIED', message, detail: message }] }));
  }
}

function send(response: ServerResponse, status: number, body: string | Buffer): void {
  response.statusCode = status;
  response.end(body);
}
