import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Bus } from '@berth/bus/bus';
import { stateStream } from '@berth/bus/state/state-stream';
import { digestSubject } from '@berth/bus/protocol/subjects';
import { envs } from '@berth/contracts/resources/envs/envs';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { statement } from '../statement.ts';
import { followProjection } from './projection.ts';
import { relaysUnderTest } from '@berth/testing/db/relays-under-test';

/** On real servers, with every interval of production made short. */
const relays = relaysUnderTest(new URL('../test-migrations/', import.meta.url));
const times = { digestMs: 30, quietMs: 20, republishMs: 20, longestRepublishMs: 3_600_000 };
const patience = { interval: 10 };

let nats: TestNats;
let auth: Bus;
let tasks: Bus;
let operator: NatsConnection;
let administrator: NatsConnection;
let stop: AbortController;
let following: Promise<void>;

beforeAll(async () => {
  nats = await startTestNats();
  [auth, tasks, operator, administrator] = await Promise.all([
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'tasks'),
    connect({ servers: nats.url, user: nats.operator, pass: nats.password }),
    connect({ servers: nats.url, user: nats.administratorOf(stateStream('auth')), pass: nats.password }),
  ]);
});
afterAll(async () => {
  await Promise.all([operator, administrator].map((connection) => connection?.close()));
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const { streams } = await jetstreamManager(administrator);
  await auth.state.ensureStream();
  await streams.purge(stateStream('auth'));
  stop = new AbortController();
  const { db } = relays;
  const columns = ['name', 'auto_add_new_users', 'env_id'];
  following = followProjection({ db, bus: tasks, resource: envs, table: 'env_projection', columns })(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await following;
});

const Row = z.object({ id: z.uuid(), version: z.number().int(), name: z.string() });

const copy = () =>
  relays.db.any(sql.type(Row)`select id, version, name from env_projection where not deleted order by id`);
const owned = () =>
  relays.db.any(sql.type(Row)`
    select id, version, row ->> 'name' as name from outbox where operation <> 'DELETE' order by id
  `);
const equal = () =>
  vi.waitFor(async () => {
    expect(await relays.unpublished()).toBe(0);
    expect(await copy()).toEqual(await owned());
  }, patience);

async function someDigests(count: number): Promise<void> {
  const digests = operator.subscribe(digestSubject('auth', 'envs'), { max: count });
  for await (const _digest of digests);
}

const anHour = 3_600_000_000;

/** How the copy differs from its owner, which has the rows `a` and `b`. */
const wrongWays: Record<string, (a: string, b: string) => Promise<unknown>> = {
  'has an older row': (a) =>
    relays.db.query(statement`update env_projection set version = 1, name = 'before' where id = ${a}`),
  'has a newer row': (a) =>
    relays.db.query(statement`update env_projection set version = version + ${anHour}, name = 'later' where id = ${a}`),
  'has marked a row as deleted that its owner has': (a) =>
    relays.db.query(statement`update env_projection set version = version + ${anHour}, deleted = true where id = ${a}`),
  'lacks a row': (a) => relays.db.query(statement`delete from env_projection where id = ${a}`),
  'lacks every row': () => relays.db.query(statement`truncate env_projection`),
  'has a row that its owner never had': () =>
    relays.db.query(statement`
      insert into env_projection (id, version, deleted, applied_at, name, auto_add_new_users)
      values (${randomUUID()}, 7, false, now() - interval '1 hour', 'ghost', false)
    `),
  'has a row that its owner never had, above all of its rows': () =>
    relays.db.query(statement`
      insert into env_projection (id, version, deleted, applied_at, name, auto_add_new_users)
      select ${randomUUID()}, max(version) + ${anHour}, false, now() - interval '1 hour', 'ghost', false from env_projection
    `),
  'has rows of an owner that has none': async () => {
    await relays.db.query(statement`delete from outbox`);
    await relays.db.query(statement`update env_projection set applied_at = now() - interval '1 hour'`);
  },
  'knows rows that its owner lost by a restore from a backup': async (a, b) => {
    await relays.record(a, 'UPDATE', 'after the backup');
    await relays.record(b, 'DELETE', 'b');
    const added = await relays.insert('added after the backup');
    await equal();
    await relays.db.query(
      statement`update env_projection set applied_at = now() - interval '1 hour' where id = ${added}`,
    );
    await restore(a, b, added);
  },
};

const Saved = z.object({ id: z.uuid(), version: z.number().int(), row: z.record(z.string(), z.unknown()) });
let saved: readonly z.infer<typeof Saved>[] = [];
async function restore(a: string, b: string, added: string): Promise<void> {
  for (const { id, version, row } of saved.filter(({ id }) => id === a || id === b)) {
    await relays.db.query(statement`
      update outbox set version = ${version}, published_version = ${version}, operation = 'INSERT', row = ${sql.jsonb(
        JSON.parse(JSON.stringify(row)),
      )} where id = ${id}
    `);
  }
  await relays.db.query(statement`delete from outbox where id = ${added}`);
  await relays.db.query(statement`select setval('outbox_version', 1)`);
}

test.for(Object.keys(wrongWays))('a copy that %s is repaired, and is not republished without end', async (way) => {
  relays.start(auth, { times });
  const [a, b] = [await relays.insert('a'), await relays.insert('b')];
  await equal();
  saved = await relays.db.any(sql.type(Saved)`select id, version, row from outbox`);

  await wrongWays[way]?.(a, b);
  await equal();

  const { streams } = await jetstreamManager(administrator);
  const lastSeq = async () => (await streams.info(stateStream('auth'))).state.last_seq;
  // A republication that was requested earlier may still be in flight.
  await someDigests(4);
  const before = await lastSeq();
  await someDigests(10);
  expect(await lastSeq()).toBe(before);
  await equal();
});
