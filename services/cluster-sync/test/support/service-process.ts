import { fileURLToPath } from 'node:url';
import type { Database } from '@berth/shared/db/database';
import { startNode } from '@berth/shared/testing/node-process';
import { openTestDatabase } from '@berth/shared/testing/open-test-database';
import { startTestNats } from '@berth/shared/testing/test-nats';
import { type Neighbours, startNeighbours } from './neighbours.ts';

export interface ServiceProcess extends Neighbours {
  readonly db: Database;
  /** Its log so far. */
  log(): string;
  /** Its arguments and environment, as other processes of this user can read them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

const migrations = new URL('../../migrations/', import.meta.url);
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as in production: a process of its own, on a real bus and a real database. */
export async function startServiceProcess(settings: Record<string, string>): Promise<ServiceProcess> {
  const stack = new AsyncDisposableStack();
  const { db, url: databaseUrl } = stack.use(await openTestDatabase({ service: 'cluster-sync', migrations }));
  const nats = stack.use(await startTestNats());
  const neighbours = stack.use(await startNeighbours(nats));

  const environment = {
    NATS_URL: nats.url,
    NATS_PASSWORD: nats.password,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'debug',
    ...settings,
  };
  const child = stack.use(startNode([main], environment));
  await child.untilReady('cluster-sync', () => child.output().includes('"started"'));
  return Object.assign(neighbours, {
    db,
    log: child.output,
    environment,
    stop: () => child.kill('SIGTERM'),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}
