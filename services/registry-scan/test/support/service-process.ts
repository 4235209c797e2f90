import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@berth/testing/network/free-port';
import { startNode } from '@berth/testing/node-process';
import { createTestDatabase } from '@berth/testing/test-database';
import type { TestNats } from '@berth/testing/test-nats';

export interface ServiceProcess extends AsyncDisposable {
  /** Where registries send push events. */
  readonly pushUrl: string;
  /** Its log so far. */
  log(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

export interface ServiceProcessOptions {
  nats: TestNats;
  registries: object[];
  pushToken: string;
  /** The port that registries send push events to; any free port unless given. */
  pushPort?: number;
  environment?: Record<string, string>;
  /** Outlives the process; one of its own unless given. */
  databaseUrl?: string;
}

const migrations = new URL('../../migrations/', import.meta.url);
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as a separate process with its secrets in files, as in production. */
export async function startServiceProcess({
  nats,
  registries,
  pushToken,
  pushPort,
  environment = {},
  databaseUrl,
}: ServiceProcessOptions): Promise<ServiceProcess> {
  const stack = new AsyncDisposableStack();
  const url = databaseUrl ?? stack.use(await createTestDatabase({ service: 'registry-scan', migrations })).url;
  const folder = await mkdtemp(join(tmpdir(), 'berth-registry-scan-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, 'push-token');
  await writeFile(tokenFile, pushToken, { mode: 0o600 });
  const port = pushPort ?? (await freePort());

  const child = stack.use(
    startNode([main], {
      ...environment,
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.password,
      DATABASE_URL: url,
      REGISTRIES: JSON.stringify(registries),
      PUSH_PORT: String(port),
      PUSH_TOKEN_FILE: tokenFile,
    }),
  );
  await child.untilReady('registry-scan', () => child.output().includes('"started"'));
  return {
    pushUrl: `http://127.0.0.1:${port}/events`,
    log: child.output,
    stop: () => child.kill('SIGTERM'),
    kill: async () => void (await child.kill('SIGKILL')),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
