import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { StateMessage, StateOperation } from '../bus/publish-state.ts';
import { type Env, envs } from '../contracts/envs.ts';
import { identities } from '../contracts/identities.ts';
import { AppError } from '../errors.ts';
import { memoryStateStream } from '../testing/memory-state-stream.ts';
import { type OpenTestDatabase, openTestDatabase } from '../testing/open-test-database.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';
import type { Database, Transaction } from './database.ts';
import { openDatabase } from './open-database.ts';
import { recordState, recordStates } from './outbox.ts';
import { outboxRelay } from './outbox-relay.ts';
import { followProjection } from './projection.ts';

const migrations = new URL('./test-migrations/', import.meta.url);
const log = { info: () => {}, warn: () => {} };
const times = { leaseMs: 600, heartbeatMs: 100, pollMs: 20, streamCheckMs: 30, digestMs: 60_000 };
const nothing = sql.type(z.object({}));
const patience = { timeout: 8_000, interval: 5 };

let database: OpenTestDatabase;
let db: Database;
let running: { stop: AbortController; ended: Promise<void> }[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(nothing`truncate outbox, outbox_stream, leases, envs_seen, env_arrivals`));
afterEach(async () => {
  for (const { stop } of running) stop.abort();
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

const envOf = (id: string, name: string): Env => ({
  id,
  created_at: '2024-05-06T07:08:09.000Z',
  name,
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
});

const change = (id: string, operation: StateOperation, name = 'red') => ({
  id,
  env_id: id,
  operation,
  row: envOf(id, name),
});

const record = (...args: Parameters<typeof change>) => db.transaction((tx) => recordState(tx, envs, change(...args)));

type Bus = Parameters<typeof outboxRelay>[0]['bus'];

/** Runs a relay until the end of the test, or until what it answers is called. */
function startRelay(bus: Bus, options: Partial<Parameters<typeof outboxRelay>[0]> = {}): () => Promise<void> {
  const stop = new AbortController();
  const loop = outboxRelay({ db, bus, owner: 'auth', log, ...options, times: { ...times, ...options.times } });
  const ended = loop(stop.signal);
  running.push({ stop, ended });
  return async () => {
    stop.abort();
    await ended;
  };
}

const told = (messages: readonly StateMessage[]) =>
  messages.map(({ operation, row }) => `${operation} ${z.object({ name: z.string() }).parse(row).name}`);

describe('what is published', () => {
  test('is each change, with growing versions', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    const id = randomUUID();

    for (const [index, [operation, name]] of (
      [
        ['INSERT', 'red'],
        ['UPDATE', 'blue'],
        ['DELETE', 'blue'],
      ] as const
    ).entries()) {
      await record(id, operation, name);
      await vi.waitFor(() => expect(stream.published).toHaveLength(index + 1), patience);
      await vi.waitFor(() => expect(unpublished()).resolves.toBe(0), patience);
    }

    expect(told(stream.published)).toEqual(['INSERT red', 'UPDATE blue', 'DELETE blue']);
    expect(stream.published[0]).toMatchObject({ resource: 'envs', id, env_id: id, row: envOf(id, 'red') });
    const versions = stream.published.map(({ version }) => version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  test('is an INSERT for what changed before anybody heard of it', async () => {
    const stream = memoryStateStream();
    const [changed, gone] = [randomUUID(), randomUUID()];
    await record(changed, 'INSERT', 'red');
    await record(changed, 'UPDATE', 'blue');
    await record(gone, 'INSERT', 'green');
    await record(gone, 'DELETE', 'green');

    startRelay(stream);
    await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);

    expect(told(stream.published)).toEqual(['INSERT blue', 'DELETE green']);
  });

  test('is an UPDATE for what changed while its INSERT was on its way', async () => {
    const stream = memoryStateStream();
    const id = randomUUID();
    stream.beforeAck = async ({ operation }) => {
      if (operation === 'INSERT') await record(id, 'UPDATE', 'blue');
    };
    startRelay(stream);
    await record(id, 'INSERT', 'red');
    await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);

    expect(told(stream.published)).toEqual(['INSERT red', 'UPDATE blue']);
  });

  test('is nothing of a transaction that was rolled back', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    const failing = db.transaction(async (tx) => {
      await recordState(tx, envs, change(randomUUID(), 'INSERT', 'never'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await record(randomUUID(), 'INSERT', 'red');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);

    expect(told(stream.published)).toEqual(['INSERT red']);
  });

  test('comes soon after the commit, not with the next poll', async () => {
    const stream = memoryStateStream();
    startRelay(stream, { times: { pollMs: 60_000, streamCheckMs: 60_000 } });
    await record(randomUUID(), 'INSERT');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);
    await record(randomUUID(), 'INSERT');

    await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);
  });

  test('misses nothing of transactions that commit in another order than they began', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    const ids = Array.from({ length: 120 }, () => randomUUID());

    // Versions are taken in one order, commits come in another: the first ones wait the longest.
    const writer = async (mine: string[], index: number) => {
      for (const id of mine) {
        await db.transaction(async (tx) => {
          await recordState(tx, envs, change(id, 'INSERT', 'red'));
          await sleep(Math.max(0, 8 - index) * 4);
        });
        await record(id, 'UPDATE', `done ${id}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => writer(ids.slice(i * 15, i * 15 + 15), i)));

    await vi.waitFor(() => expect(unpublished()).resolves.toBe(0), patience);
    expect([...stream.last.values()].map(({ row }) => z.object({ name: z.string() }).parse(row).name).sort()).toEqual(
      ids.map((id) => `done ${id}`).sort(),
    );
  });

  test('keeps the order of changes to the same row, also when nobody locked it', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    const id = randomUUID();
    await record(id, 'INSERT', 'red');

    await Promise.all(Array.from({ length: 20 }, (_, i) => record(id, 'UPDATE', `${i}`)));
    await vi.waitFor(() => expect(unpublished()).resolves.toBe(0), patience);

    const stored = sql.type(z.object({ row: z.object({ name: z.string() }), version: z.number() }));
    const { row, version } = await db.one(stored`select row, version from outbox where id = ${id}`);
    expect(stream.last.get(`envs.${id}`)).toMatchObject({ row, version });
    const versions = stream.published.map((message) => message.version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  test('takes many rows of one change at once', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    await db.transaction((tx) =>
      recordStates(
        tx,
        envs,
        ids.map((id) => change(id, 'INSERT')),
      ),
    );

    await vi.waitFor(() => expect(stream.last.size).toBe(1_000), patience);
    expect(stream.published).toHaveLength(1_000);
  });

  test('never has a field that the contract does not show', async () => {
    const id = randomUUID();
    const leaking = (tx: Transaction) =>
      recordState(tx, envs, { ...change(id, 'INSERT'), row: { ...envOf(id, 'red'), password: 'canary' } });

    await expect(db.transaction(leaking)).rejects.toThrow(/password/);
    await expect(db.transaction((tx) => recordState(tx, identities, change(id, 'INSERT')))).rejects.toThrow(
      'Nobody follows',
    );
  });
});

describe('relays', () => {
  test('work one at a time, and the next goes on when one stops', async () => {
    const stream = memoryStateStream();
    const publishers: string[] = [];
    const named = (name: string): Bus => ({
      state: {
        ...stream.state,
        publish: async (message) => {
          publishers.push(name);
          await stream.state.publish(message);
        },
      },
    });
    const stops = [startRelay(named('a')), startRelay(named('b'))];

    for (let i = 0; i < 20; i += 1) await record(randomUUID(), 'INSERT');
    await vi.waitFor(() => expect(stream.published).toHaveLength(20), patience);
    const [first] = publishers;
    expect(publishers.every((name) => name === first)).toBe(true);

    await stops[first === 'a' ? 0 : 1]?.();
    await record(randomUUID(), 'INSERT');
    await vi.waitFor(() => expect(stream.published).toHaveLength(21), patience);
    expect(publishers.at(-1)).not.toBe(first);
  });

  test('that die between acknowledgement and mark publish twice, and followers notice once', async () => {
    const stream = memoryStateStream();
    await using proxy = await startTcpProxy(database.url);
    await using dying = await openDatabase({ migrations, url: proxy.url, applicationName: 'dying', log });
    const followed = new AbortController();
    const following = followProjection({
      db,
      bus: stream,
      resource: envs,
      table: 'envs_seen',
      columns: ['name', 'auto_add_new_users'],
      onApplied: async ({ row }, tx) => {
        await tx.query(
          nothing`insert into env_arrivals select name from jsonb_to_record(${JSON.stringify(row)}) as r(name text)`,
        );
      },
    })(followed.signal);
    stream.beforeAck = async () => {
      stream.beforeAck = async () => {};
      await proxy.refuse();
    };

    startRelay(stream, { db: dying });
    await vi.waitFor(() => expect(db.exists(nothing`select from leases`)).resolves.toBe(true), patience);
    await record(randomUUID(), 'INSERT', 'once');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);
    startRelay(stream);
    await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);
    await vi.waitFor(() => expect(unpublished()).resolves.toBe(0), patience);

    expect(stream.published[0]).toEqual(stream.published[1]);
    const arrivals = await db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from env_arrivals`);
    expect(arrivals).toEqual(['once']);
    followed.abort();
    await following;
  });
});

describe('after a loss', () => {
  const publishedBefore = async (stream: ReturnType<typeof memoryStateStream>) => {
    startRelay(stream);
    const [kept, gone] = [randomUUID(), randomUUID()];
    await record(kept, 'INSERT', 'kept');
    await record(gone, 'INSERT', 'gone');
    await record(gone, 'DELETE', 'gone');
    await vi.waitFor(() => expect(unpublished()).resolves.toBe(0), patience);
    // What the stream holds is remembered with the next look at it.
    await vi.waitFor(async () => {
      const { lastSeq } = await stream.state.ensureStream();
      expect(await db.exists(nothing`select from outbox_stream where last_seq = ${lastSeq}`)).toBe(true);
    }, patience);
    return { kept, gone };
  };

  test.for([
    ['the whole stream', (stream: ReturnType<typeof memoryStateStream>) => stream.lose()],
    ['the end of it', (stream: ReturnType<typeof memoryStateStream>) => stream.loseLast(1)],
  ] as const)('of %s everything is published again, the deleted as well', async ([, lose]) => {
    const stream = memoryStateStream();
    const { kept, gone } = await publishedBefore(stream);

    lose(stream);
    await vi.waitFor(() => {
      expect(stream.last.size).toBe(2);
      expect(stream.last.get(`envs.${gone}`)).toMatchObject({ operation: 'DELETE' });
    }, patience);

    expect(stream.last.get(`envs.${kept}`)).toMatchObject({ row: { name: 'kept' } });
  });

  test('of the server nothing is lost that was committed meanwhile', async () => {
    const stream = memoryStateStream();
    startRelay(stream);
    stream.up = false;
    await record(randomUUID(), 'INSERT', 'meanwhile');
    await sleep(300);
    expect(stream.published).toEqual([]);

    stream.up = true;
    await vi.waitFor(() => expect(told(stream.published)).toEqual(['INSERT meanwhile']), patience);
  });

  test('of Postgres the relay goes on by itself', async () => {
    const stream = memoryStateStream();
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openDatabase({ migrations, url: proxy.url, applicationName: 'remote', log });
    const stop = startRelay(stream, { db: remote });
    await record(randomUUID(), 'INSERT', 'before');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);

    await proxy.refuse();
    await record(randomUUID(), 'INSERT', 'meanwhile');
    await sleep(times.leaseMs * 2);
    expect(stream.published).toHaveLength(1);

    await proxy.restore();
    await vi.waitFor(() => expect(told(stream.published)).toContain('INSERT meanwhile'), patience);
    await stop();
  });

  test('a follower can ask for a resource again, but not without end', async () => {
    const stream = memoryStateStream();
    const { kept } = await publishedBefore(stream);
    const before = stream.published.length;

    await stream.askForRepublication('envs');
    await stream.askForRepublication('no_such_resource');
    await vi.waitFor(() => expect(stream.published.length).toBe(before + 2), patience);
    expect(stream.published.slice(before).map(({ id }) => id)).toContain(kept);

    await stream.askForRepublication('envs');
    await sleep(200);
    expect(stream.published).toHaveLength(before + 2);
  });
});

test('a message that is refused does not hold up the others', async () => {
  const stream = memoryStateStream();
  const big = randomUUID();
  const bus: Bus = {
    state: {
      ...stream.state,
      publish: async (message) => {
        if (message.id === big) throw new AppError('too_large', 'larger than the server takes');
        await stream.state.publish(message);
      },
    },
  };
  startRelay(bus);
  await record(big, 'INSERT', 'big');
  for (let i = 0; i < 5; i += 1) {
    await record(randomUUID(), 'INSERT', 'small');
    await vi.waitFor(() => expect(stream.published).toHaveLength(i + 1), patience);
  }

  expect(await unpublished()).toBe(1);
});

test('digests tell how many rows there are and which, for every resource of the owner', async () => {
  const stream = memoryStateStream();
  startRelay(stream, { times: { digestMs: 50 } });
  const digestOfEnvs = () => stream.digests.filter(({ resource }) => resource === 'envs').at(-1);
  await vi.waitFor(() => expect(digestOfEnvs()).toEqual({ resource: 'envs', count: 0, hash: '0' }), patience);
  expect(stream.digests.map(({ resource }) => resource)).not.toContain('deployments');

  const [a, b] = [randomUUID(), randomUUID()];
  await record(a, 'INSERT');
  await vi.waitFor(() => expect(digestOfEnvs()?.count).toBe(1), patience);
  const one = digestOfEnvs();
  await record(b, 'INSERT');
  await vi.waitFor(() => expect(digestOfEnvs()?.count).toBe(2), patience);
  expect(digestOfEnvs()?.hash).not.toBe(one?.hash);
  await record(b, 'DELETE');
  await vi.waitFor(() => expect(digestOfEnvs()).toEqual(one), patience);
});

test('the deleted are forgotten after 30 days, once they are published', async () => {
  const stream = memoryStateStream();
  const [old, fresh] = [randomUUID(), randomUUID()];
  await record(old, 'DELETE');
  await record(fresh, 'DELETE');
  await db.query(nothing`update outbox set changed_at = now() - interval '31 days' where id = ${old}`);
  startRelay(stream, { times: { pruneMs: 50 } });

  await vi.waitFor(
    () => expect(db.exists(nothing`select from outbox where id = ${old}`)).resolves.toBe(false),
    patience,
  );
  expect(stream.last.get(`envs.${old}`)).toMatchObject({ operation: 'DELETE' });
  expect(await db.exists(nothing`select from outbox where id = ${fresh}`)).toBe(true);
});

const countOf = sql.type(z.object({ count: z.number() }));
const unpublished = () =>
  db.oneFirst(countOf`select count(*) as count from outbox where published_version is distinct from version`);
