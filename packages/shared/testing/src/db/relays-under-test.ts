import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { StateMessage, StateOperation } from '@berth/bus/state/publish-state';
import { type Env, envs } from '@berth/contracts/resources/envs/envs';
import { type OpenTestDatabase, openTestDatabase } from '../open-test-database.ts';
import type { Database } from '@berth/db/database';
import { recordState, type StateChange } from '@berth/db/outbox/outbox';
import { type OutboxRelayOptions, outboxRelay } from '@berth/db/outbox/outbox-relay';
import { statement } from '@berth/db/statement';

const quiet = { info: () => {}, warn: () => {} };
const counted = sql.type(z.object({ count: z.number() }));

/** Much shorter than in production. Digests keep their interval; tests that need them set a shorter one. */
export const shortTimes = { leaseMs: 600, heartbeatMs: 100, pollMs: 20, streamCheckMs: 30, digestMs: 60_000 };

export const envNamed = (id: string, name: string): Env => ({
  id,
  created_at: '2024-05-06T07:08:09.000Z',
  name,
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
});

export const envChange = (id: string, operation: StateOperation, name = 'red'): StateChange => ({
  id,
  env_id: id,
  operation,
  row: envNamed(id, name),
});

/** `INSERT red`, `UPDATE blue`, … */
export const summaries = (messages: readonly StateMessage[]): string[] =>
  messages.map(({ operation, row }) => `${operation} ${z.object({ name: z.string() }).parse(row).name}`);

export interface RelaysUnderTest {
  readonly db: Database;
  readonly url: string;
  /** Changes an env and records its state, like the owner. */
  record(id: string, operation: StateOperation, name?: string): Promise<void>;
  insert(name?: string): Promise<string>;
  /** Runs a relay until the test ends or the returned function is called. */
  start(bus: OutboxRelayOptions['bus'], options?: Partial<OutboxRelayOptions>): () => Promise<void>;
  unpublished(): Promise<number>;
}

/** To be called at the top of a test file: provides a database, empties the outbox before each test, and stops all relays. */
export function relaysUnderTest(migrations: URL): RelaysUnderTest {
  let database: OpenTestDatabase | undefined;
  let running: (() => Promise<void>)[] = [];
  const opened = (): OpenTestDatabase => {
    if (database === undefined) throw new Error('The database is there in tests only');
    return database;
  };

  beforeAll(async () => {
    database = await openTestDatabase({ service: 'auth', migrations });
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  beforeEach(() => opened().db.query(statement`truncate outbox, outbox_stream, leases, env_projection, env_arrivals`));
  afterEach(async () => {
    await Promise.all(running.map((stop) => stop()));
    running = [];
  });

  const record: RelaysUnderTest['record'] = (id, operation, name) =>
    opened().db.transaction(async (tx) => recordState(tx, envs, envChange(id, operation, name)));

  return {
    get db() {
      return opened().db;
    },
    get url() {
      return opened().url;
    },
    record,
    async insert(name) {
      const id = randomUUID();
      await record(id, 'INSERT', name);
      return id;
    },
    start(bus, options = {}) {
      const stop = new AbortController();
      const times = { ...shortTimes, ...options.times };
      const ended = outboxRelay({ db: opened().db, bus, owner: 'auth', log: quiet, ...options, times })(stop.signal);
      const end = async () => {
        stop.abort();
        await ended;
      };
      running.push(end);
      return end;
    },
    unpublished: () =>
      opened().db.oneFirst(
        counted`select count(*) as count from outbox where published_version is distinct from version`,
      ),
  };
}
