import { fileURLToPath } from 'node:url';
import type { Database } from '@berth/db/database';
import { startNode } from '@berth/testing/node-process';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { startTestNats } from '@berth/testing/test-nats';
import { type Neighbours, startNeighbours } from './neighbours.ts';

type Settings = Readonly<Record<string, string>>;

export interface Replica {
  readonly pid: number;
  /** Its log so far. */
  log(): string;
  /** Its arguments and environment, as other processes of this user can read them. */
  readonly environment: Settings;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceSurroundings extends Neighbours {
  readonly db: Database;
  /** The service as a process, as in production. */
  startReplica(settings: Settings): Promise<Replica>;
}

export type ServiceProcess = ServiceSurroundings & Replica;

const migrations = new URL('../../migrations/', import.meta.url);
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A real bus and a real database, without a process of the service. */
export async function startSurroundings(): Promise<ServiceSurroundings> {
  const stack = new AsyncDisposableStack();
  const { db, url } = stack.use(await openTestDatabase({ service: 'cluster-sync', migrations }));
  const nats = stack.use(await startTestNats());
  const neighbours = stack.use(await startNeighbours(nats));
  const common = { NATS_URL: nats.url, NATS_PASSWORD: nats.password, DATABASE_URL: url, LOG_LEVEL: 'debug' };

  return Object.assign(neighbours, {
    db,
    async startReplica(settings: Settings) {
      const environment = { ...common, ...settings };
      const child = stack.use(startNode([main], environment));
      await child.untilReady('cluster-sync', () => child.output().includes('"started"'));
      return { pid: child.pid, log: child.output, environment, stop: () => child.kill('SIGTERM') };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}

/** One process of the service, with its surroundings. */
export async function startServiceProcess(settings: Settings): Promise<ServiceProcess> {
  const surroundings = await startSurroundings();
  return Object.assign(surroundings, await surroundings.startReplica(settings));
}
