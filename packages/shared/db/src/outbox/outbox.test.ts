import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { envs } from '@berth/contracts/resources/envs/envs';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { memoryStateStream } from '@berth/testing/memory-state-stream';
import type { Transaction } from '../database.ts';
import { recordState, recordStates, writeOutbox } from './outbox.ts';
import { envChange, envNamed, relaysUnderTest, summaries } from '@berth/testing/db/relays-under-test';

const relays = relaysUnderTest(new URL('../test-migrations/', import.meta.url));
const patience = { interval: 5 };

test('each change is published, with growing versions', async () => {
  const stream = memoryStateStream();
  relays.start(stream);
  const id = randomUUID();

  for (const [index, [operation, name]] of (
    [
      ['INSERT', 'red'],
      ['UPDATE', 'blue'],
      ['DELETE', 'blue'],
    ] as const
  ).entries()) {
    await relays.record(id, operation, name);
    await vi.waitFor(() => expect(stream.published).toHaveLength(index + 1), patience);
    await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);
  }

  expect(summaries(stream.published)).toEqual(['INSERT red', 'UPDATE blue', 'DELETE blue']);
  expect(stream.published[0]).toMatchObject({ resource: 'envs', id, env_id: id, row: envNamed(id, 'red') });
  const versions = stream.published.map(({ version }) => version);
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  expect(new Set(versions).size).toBe(3);
});

test('a row that changed before its first publication is published as an INSERT', async () => {
  const stream = memoryStateStream();
  const [changed, gone] = [randomUUID(), randomUUID()];
  await relays.record(changed, 'INSERT', 'red');
  await relays.record(changed, 'UPDATE', 'blue');
  await relays.record(gone, 'INSERT', 'green');
  await relays.record(gone, 'DELETE', 'green');

  relays.start(stream);
  await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);

  expect(summaries(stream.published)).toEqual(['INSERT blue', 'DELETE green']);
});

test('a row that changed while its INSERT was in flight is published as an UPDATE', async () => {
  const stream = memoryStateStream();
  const id = randomUUID();
  stream.beforeAck = async ({ operation }) => {
    if (operation === 'INSERT') await relays.record(id, 'UPDATE', 'blue');
  };
  relays.start(stream);
  await relays.record(id, 'INSERT', 'red');
  await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);

  expect(summaries(stream.published)).toEqual(['INSERT red', 'UPDATE blue']);
});

test('a row that changes several times in a transaction is published once, in its last state', async () => {
  const stream = memoryStateStream();
  const [built, gone] = [randomUUID(), randomUUID()];
  await relays.db.transaction(async (tx) => {
    recordState(tx, envs, envChange(built, 'INSERT', 'red'));
    recordState(tx, envs, envChange(gone, 'UPDATE', 'green'));
    await tx.transaction(async (inner) => {
      recordState(inner, envs, envChange(built, 'UPDATE', 'blue'));
      recordState(inner, envs, envChange(gone, 'DELETE', 'green'));
    });
  });

  relays.start(stream);
  await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);

  expect(summaries(stream.published)).toEqual(['INSERT blue', 'DELETE green']);
});

test('two transactions that record the same rows in different orders wait for each other without deadlock', async () => {
  const ids = Array.from({ length: 20 }, () => randomUUID());
  let runs = 0;
  const recordAll = (order: string[]) =>
    relays.db.transaction(async (tx) => {
      runs += 1;
      for (const id of order) recordState(tx, envs, envChange(id, 'UPDATE', 'red'));
    });

  await recordAll(ids);
  for (let round = 0; round < 10; round += 1) await Promise.all([recordAll(ids), recordAll(ids.toReversed())]);

  expect(runs).toBe(21);
});

test('changes of a rolled back transaction are not published', async () => {
  const stream = memoryStateStream();
  relays.start(stream);
  const failing = relays.db.transaction(async (tx) => {
    recordState(tx, envs, envChange(randomUUID(), 'INSERT', 'never'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await relays.insert('red');
  await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);

  expect(summaries(stream.published)).toEqual(['INSERT red']);
});

test('a change is published soon after the commit, before the next poll', async () => {
  const stream = memoryStateStream();
  relays.start(stream, { times: { pollMs: 60_000, streamCheckMs: 60_000 } });
  await relays.insert();
  await vi.waitFor(() => expect(stream.published).toHaveLength(1), patience);
  await relays.insert();

  await vi.waitFor(() => expect(stream.published).toHaveLength(2), patience);
});

test('transactions that commit out of order are published completely', async () => {
  const stream = memoryStateStream();
  relays.start(stream);
  const ids = Array.from({ length: 120 }, () => randomUUID());

  // The transactions that took the first versions commit last.
  const writer = async (mine: string[], index: number) => {
    for (const id of mine) {
      await relays.db.transaction(async (tx) => {
        recordState(tx, envs, envChange(id, 'INSERT', 'red'));
        await writeOutbox(tx);
        await sleep(Math.max(0, 8 - index) * 4);
      });
      await relays.record(id, 'UPDATE', `done ${id}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, i) => writer(ids.slice(i * 15, i * 15 + 15), i)));

  await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);
  expect([...stream.last.values()].map(({ row }) => z.object({ name: z.string() }).parse(row).name).sort()).toEqual(
    ids.map((id) => `done ${id}`).sort(),
  );
});

test('changes to one row are published in order, even without a lock', async () => {
  const stream = memoryStateStream();
  relays.start(stream);
  const id = randomUUID();
  await relays.record(id, 'INSERT', 'red');

  await Promise.all(Array.from({ length: 20 }, (_, i) => relays.record(id, 'UPDATE', `${i}`)));
  await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);

  const stored = sql.type(z.object({ row: z.object({ name: z.string() }), version: z.number() }));
  const { row, version } = await relays.db.one(stored`select row, version from outbox where id = ${id}`);
  expect(stream.last.get(`envs.${id}`)).toMatchObject({ row, version });
  const versions = stream.published.map((message) => message.version);
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
});

test('many rows of one change are recorded in one statement', async () => {
  const stream = memoryStateStream();
  relays.start(stream);
  const ids = Array.from({ length: 1_000 }, () => randomUUID());
  await relays.db.transaction(async (tx) =>
    recordStates(
      tx,
      envs,
      ids.map((id) => envChange(id, 'INSERT')),
    ),
  );

  await vi.waitFor(() => expect(stream.last.size).toBe(1_000), patience);
  expect(stream.published).toHaveLength(1_000);
});

test('for a row without a projection, only its id and the fields of its event are recorded', async () => {
  const [id, user_id] = [randomUUID(), randomUUID()];
  const row = { id, user_id, created_at: '2026-01-01T00:00:00Z', name: 'laptop', expires_at: null, last_used_at: null };

  await relays.db.transaction(async (tx) =>
    recordState(tx, userTokens, { id, env_id: null, operation: 'INSERT', row }),
  );

  const recorded = sql.type(z.object({ row: z.unknown() }))`select row from outbox where id = ${id}`;
  expect(await relays.db.oneFirst(recorded)).toEqual({ id, user_id });
});

test('a field that the contract does not publish is refused', async () => {
  const id = randomUUID();
  const leaking = async (tx: Transaction) =>
    recordState(tx, envs, { ...envChange(id, 'INSERT'), row: { ...envNamed(id, 'red'), password: 'canary' } });

  await expect(relays.db.transaction(leaking)).rejects.toThrow(/password/);
  await expect(
    relays.db.transaction(async (tx) => recordState(tx, identities, envChange(id, 'INSERT'))),
  ).rejects.toThrow('its contract has no state');
});
