import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { envs } from '@berth/contracts/resources/envs/envs';
import { AppError } from '@berth/contracts/errors';
import { type MemoryStateStream, memoryStateStream } from '@berth/testing/memory-state-stream';
import { startTcpProxy } from '@berth/testing/network/tcp-proxy';
import { openDatabase } from '../postgres/open-database.ts';
import { statement } from '../statement.ts';
import type { OutboxRelayOptions } from './outbox-relay.ts';
import { followProjection } from '../projections/projection.ts';
import { relaysUnderTest, shortTimes, summaries } from '@berth/testing/db/relays-under-test';

const migrations = new URL('../test-migrations/', import.meta.url);
const log = { info: () => {}, warn: () => {} };
const relays = relaysUnderTest(migrations);
const patience = { interval: 5 };

type Bus = OutboxRelayOptions['bus'];

describe('outbox relays', () => {
  test('work one at a time, and another takes over when that one stops', async () => {
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
    const stops = [relays.start(named('a')), relays.start(named('b'))];

    for (let i = 0; i < 20; i += 1) await relays.insert();
    await vi.waitFor(() => expect(stream.published).toHaveLength(20), patience);
    const [first] = publishers;
    expect(publishers.every((name) => name === first)).toBe(true);

    await stops[first === 'a' ? 0 : 1]?.();
    await relays.insert();
    await vi.waitFor(() => expect(stream.published).toHaveLength(21), patience);
    expect(publishers.at(-1)).not.toBe(first);
  });

  test('publish a message twice after a crash between acknowledgement and mark, and followers apply it once', async () => {
    const stream = memoryStateStream();
    await using proxy = await startTcpProxy(relays.url);
    await using dying = await openDatabase({ migrations, url: proxy.url, applicationName: 'dying', log });
    const followed = new AbortController();
    const following = followProjection({
      db: relays.db,
      bus: stream,
      resource: envs,
      table: 'env_projection',
      columns: ['name', 'auto_add_new_users'],
      onApplied: async ({ row }, tx) => {
        await tx.query(
          statement`insert into env_arrivals select name from jsonb_to_record(${JSON.stringify(row)}) as r(name text)`,
        );
      },
    })(followed.signal);
    stream.beforeAck = async () => {
      stream.beforeAck = async () => {};
      await proxy.refuse();
    };

    relays.start(stream, { db: dying });
    await vi.waitFor(() => expect(relays.db.exists(statement`select from leases`)).resolves.toBe(true), patience);
    await relays.insert('once');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);
    relays.start(stream);
    await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);
    await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);

    expect(stream.published[0]).toEqual(stream.published[1]);
    const arrivals = await relays.db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from env_arrivals`);
    expect(arrivals).toEqual(['once']);
    followed.abort();
    await following;
  });
});

describe('after a failure, the relay', () => {
  const publishedBefore = async (stream: MemoryStateStream) => {
    relays.start(stream);
    const [kept, gone] = [randomUUID(), randomUUID()];
    await relays.record(kept, 'INSERT', 'kept');
    await relays.record(gone, 'INSERT', 'gone');
    await relays.record(gone, 'DELETE', 'gone');
    await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);
    // The position in the stream is stored at the next check.
    await vi.waitFor(async () => {
      const { lastSeq } = await stream.state.ensureStream();
      expect(await relays.db.exists(statement`select from outbox_stream where last_seq = ${lastSeq}`)).toBe(true);
    }, patience);
    return { kept, gone };
  };

  test.for([
    ['the whole stream', (stream: MemoryStateStream) => stream.lose()],
    ['the end of the stream', (stream: MemoryStateStream) => stream.loseLast(1)],
  ] as const)('publishes everything again, tombstones too, if %s was lost', async ([, lose]) => {
    const stream = memoryStateStream();
    const { kept, gone } = await publishedBefore(stream);

    lose(stream);
    await vi.waitFor(() => {
      expect(stream.last.size).toBe(2);
      expect(stream.last.get(`envs.${gone}`)).toMatchObject({ operation: 'DELETE' });
    }, patience);

    expect(stream.last.get(`envs.${kept}`)).toMatchObject({ row: { name: 'kept' } });
  });

  test('publishes what was committed while NATS was unreachable', async () => {
    const stream = memoryStateStream();
    relays.start(stream);
    stream.up = false;
    await relays.insert('meanwhile');
    await sleep(300);
    expect(stream.published).toEqual([]);

    stream.up = true;
    await vi.waitFor(() => expect(summaries(stream.published)).toEqual(['INSERT meanwhile']), patience);
  });

  test('continues by itself if the connection to Postgres was lost', async () => {
    const stream = memoryStateStream();
    await using proxy = await startTcpProxy(relays.url);
    await using remote = await openDatabase({ migrations, url: proxy.url, applicationName: 'remote', log });
    const stop = relays.start(stream, { db: remote });
    await relays.insert('before');
    await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);

    await proxy.refuse();
    await relays.insert('meanwhile');
    await sleep(shortTimes.leaseMs * 2);
    expect(stream.published).toHaveLength(1);

    await proxy.restore();
    await vi.waitFor(() => expect(summaries(stream.published)).toContain('INSERT meanwhile'), patience);
    await stop();
  });

  test('publishes a resource again for a follower, at growing intervals', async () => {
    const stream = memoryStateStream();
    const { kept } = await publishedBefore(stream);
    const before = stream.published.length;

    await stream.requestRepublication('envs');
    await stream.requestRepublication('no_such_resource');
    await vi.waitFor(() => expect(stream.published.length).toBe(before + 2), patience);
    expect(stream.published.slice(before).map(({ id }) => id)).toContain(kept);

    await stream.requestRepublication('envs');
    await sleep(200);
    expect(stream.published).toHaveLength(before + 2);
  });
});

test('a message that the bus refuses does not block the others in the outbox', async () => {
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
  relays.start(bus);
  await relays.record(big, 'INSERT', 'big');
  for (let i = 0; i < 5; i += 1) {
    await relays.insert('small');
    await vi.waitFor(() => expect(stream.published).toHaveLength(i + 1), patience);
  }

  // A row is marked shortly after it was published.
  await vi.waitFor(async () => expect(await relays.unpublished()).toBe(1), patience);
});

test('digests contain the number and hash of the rows of every resource of the owner', async () => {
  const stream = memoryStateStream();
  relays.start(stream, { times: { digestMs: 50 } });
  const digestOfEnvs = () => stream.digests.filter(({ resource }) => resource === 'envs').at(-1);
  await vi.waitFor(() => expect(digestOfEnvs()).toMatchObject({ count: 0, hash: '0' }), patience);
  expect(stream.digests.map(({ resource }) => resource)).not.toContain('deployments');

  const [a, b] = [randomUUID(), randomUUID()];
  await relays.record(a, 'INSERT');
  await vi.waitFor(() => expect(digestOfEnvs()?.count).toBe(1), patience);
  const one = digestOfEnvs();
  await relays.record(b, 'INSERT');
  await vi.waitFor(() => expect(digestOfEnvs()?.count).toBe(2), patience);
  expect(digestOfEnvs()?.hash).not.toBe(one?.hash);
  await relays.record(b, 'DELETE');
  await vi.waitFor(() => expect(digestOfEnvs()).toEqual(one), patience);
});

test('the outbox drops deleted rows 30 days after they were published', async () => {
  const stream = memoryStateStream();
  const [old, fresh] = [randomUUID(), randomUUID()];
  await relays.record(old, 'DELETE');
  await relays.record(fresh, 'DELETE');
  await relays.db.query(statement`update outbox set changed_at = now() - interval '31 days' where id = ${old}`);
  relays.start(stream, { times: { pruneMs: 50 } });

  await vi.waitFor(
    () => expect(relays.db.exists(statement`select from outbox where id = ${old}`)).resolves.toBe(false),
    patience,
  );
  expect(stream.last.get(`envs.${old}`)).toMatchObject({ operation: 'DELETE' });
  expect(await relays.db.exists(statement`select from outbox where id = ${fresh}`)).toBe(true);
});
