import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { startTcpProxy } from '@berth/testing/network/tcp-proxy';
import { acquireLease, releaseLease, renewLease } from './lease.ts';
import { openDatabase } from '../postgres/open-database.ts';
import { whileHolding } from './while-holding.ts';

const migrations = new URL('../test-migrations/', import.meta.url);
let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const forALongTime = 60_000;
const acquire = (name: string, holder: string, ttlMs = forALongTime) =>
  acquireLease(database.db, { name, holder, ttlMs });

test('a lease has one holder at a time, however many try at once', async () => {
  const leases = await Promise.all(Array.from({ length: 20 }, (_, i) => acquire('crowd', `holder ${i}`)));

  expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
});

test('the fence grows each time the lease changes hands', async () => {
  const first = await acquire('fence', 'a');
  expect(first).toMatchObject({ fence: 1 });
  expect(await acquire('fence', 'b')).toBeNull();
  if (first) await releaseLease(database.db, first);

  expect(await acquire('fence', 'b')).toMatchObject({ fence: 2 });
});

test('an expired lease is free, and its last holder can neither renew nor release it', async () => {
  const old = await acquire('over', 'slow', 30);
  await sleep(40);
  const fresh = await acquire('over', 'quick');
  expect(fresh).toMatchObject({ holder: 'quick' });

  expect(old && (await renewLease(database.db, old))).toBeNull();
  if (old) await releaseLease(database.db, old);
  expect(await acquire('over', 'third')).toBeNull();
});

test('a lease that was given up is left to others for as long as one of them says', async () => {
  const first = await acquire('left', 'first');
  if (first) await releaseLease(database.db, first);

  const patient = { name: 'left', holder: 'first', ttlMs: forALongTime, freeForMs: forALongTime };
  expect(await acquireLease(database.db, patient)).toBeNull();
  expect(await acquire('left', 'second')).toMatchObject({ holder: 'second' });
});

test('renewing a lease sets a new end', async () => {
  const lease = await acquire('renewed', 'a');
  // Timers may fire a little early.
  const began = performance.now();
  await sleep(50);
  const slept = performance.now() - began;
  const renewed = lease && (await renewLease(database.db, lease));

  expect(renewed?.fence).toBe(lease?.fence);
  expect(renewed?.until).toBeGreaterThanOrEqual((lease?.until ?? Number.NaN) + slept);
});

/** A holder that stalls for two seconds still keeps its lease. */
const hold = (name: string, signal: AbortSignal, marginMs = 60) => ({
  name,
  holder: name,
  ttlMs: 3_000,
  heartbeatMs: 60,
  marginMs,
  signal,
});

test('whileHolding keeps the lease until the work ends, and releases it', async () => {
  const { signal } = new AbortController();
  const worked = whileHolding(database.db, hold('work', signal), async (held) => {
    await sleep(3_500);
    expect(held.aborted).toBe(false);
    expect(await acquire('work', 'other')).toBeNull();
  });

  expect(await worked).toBe(true);
  expect(await acquire('work', 'other')).not.toBeNull();
  expect(await whileHolding(database.db, hold('work', signal), async () => {})).toBe(false);
});

test('whileHolding releases the lease when the work throws', async () => {
  const failing = whileHolding(database.db, hold('throws', new AbortController().signal), async () => {
    throw new Error('no');
  });

  await expect(failing).rejects.toThrow('no');
  expect(await acquire('throws', 'other')).not.toBeNull();
});

test('whileHolding aborts the work before another holder can take the lease, if the database is unreachable', async () => {
  await using proxy = await startTcpProxy(database.url);
  await using remote = await openDatabase({
    migrations,
    url: proxy.url,
    applicationName: 'test',
    log: { info: () => {}, warn: () => {} },
  });

  let free: unknown;
  await whileHolding(remote, hold('cut off', new AbortController().signal, 2_500), async (held) => {
    await proxy.refuse();
    await new Promise((aborted) => held.addEventListener('abort', aborted));
    free = await acquire('cut off', 'other');
  });

  expect(free).toBeNull();
});

test('whileHolding aborts the work if another holder took the lease', async () => {
  await whileHolding(database.db, hold('taken', new AbortController().signal), async (held, lease) => {
    await releaseLease(database.db, lease);
    expect(await acquire('taken', 'thief')).not.toBeNull();
    await new Promise((aborted) => held.addEventListener('abort', aborted));
  });
});

test('whileHolding aborts the work when the signal aborts', async () => {
  const stop = new AbortController();
  await whileHolding(database.db, hold('stopped', stop.signal), async (held) => {
    stop.abort();
    expect(held.aborted).toBe(true);
  });
});
