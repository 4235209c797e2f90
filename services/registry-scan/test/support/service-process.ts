import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@berth/shared/testing/compile-cache';
import { freePort } from '@berth/shared/testing/free-port';
import { createTestDatabase } from '@berth/shared/testing/test-database';
import type { TestNats } from '@berth/shared/testing/test-nats';

export interface ServiceProcess extends AsyncDisposable {
  /** Where registries send push events. */
  readonly pushUrl: string;
  /** Its log so far. */
  log(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceProcessOptions {
  nats: TestNats;
  registries: object[];
  pushToken: string;
  /** The port that registries send push events to; any free port unless given. */
  pushPort?: number;
}

const migrations = new URL('../../migrations/', import.meta.url);
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as in production: a process of its own, its secrets in files. */
export async function startServiceProcess({
  nats,
  registries,
  pushToken,
  pushPort,
}: ServiceProcessOptions): Promise<ServiceProcess> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase({ service: 'registry-scan', migrations }));
  const folder = await mkdtemp(join(tmpdir(), 'berth-registry-scan-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, 'push-token');
  await writeFile(tokenFile, pushToken, { mode: 0o600 });
  const port = pushPort ?? (await freePort());

  const child = spawn(process.execPath, [main], {
    env: {
      ...compileCache(),
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.password,
      DATABASE_URL: database.url,
      REGISTRIES: JSON.stringify(registries),
      PUSH_PORT: String(port),
      PUSH_TOKEN_FILE: tokenFile,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });

  while (!log.includes('"started"')) {
    if (child.exitCode !== null) throw new Error(`registry-scan ended:\n${log}`);
    await sleep(20);
  }
  return {
    pushUrl: `http://127.0.0.1:${port}/events`,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
