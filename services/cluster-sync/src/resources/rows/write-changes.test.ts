import { AppError } from '@berth/contracts/errors';
import { silentLog } from '@berth/testing/test-bus';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChangeQueue, createChangeQueue, type RowChange } from './change-queue.ts';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';
import { writeChanges } from './write-changes.ts';

const gone = (uid: string): RowChange => ({ uid });

let queue: ChangeQueue;
let stopping: AbortController;
let saved: string[][];
let running: Promise<void>;

beforeEach(() => {
  queue = createChangeQueue(3);
  stopping = new AbortController();
  saved = [];
});
afterEach(async () => {
  stopping.abort();
  await running.catch(() => undefined);
});

function write(fail: (uids: string[]) => void = () => undefined): void {
  const save = async (changes: readonly RowChange[]) => {
    const uids = changes.map(({ uid }) => uid);
    fail(uids);
    saved.push(uids);
  };
  running = writeChanges({ queue, log: silentLog, save, onRefused: () => undefined }, stopping.signal);
}

test('queued changes are written together, only the newest of each object', async () => {
  for (const uid of ['a', 'b', 'a']) queue.add(gone(uid));

  write();

  await vi.waitFor(() => expect(saved).toEqual([['a', 'b']]));
});

test('an object that changes several times within a moment is written once', async () => {
  write();

  for (const uid of ['a', 'b', 'a', 'b', 'a']) {
    queue.add(gone(uid));
    await new Promise(setImmediate);
  }

  await vi.waitFor(() => expect(saved).toEqual([['a', 'b']]));
});

test('changes are written again after an outage of the database', async () => {
  let attempts = 0;
  queue.add(gone('a'));

  write(() => {
    attempts += 1;
    if (attempts === 1) throw new AppError('unavailable', 'The database is not available');
  });
  queue.add(gone('b'));

  await vi.waitFor(() => expect(saved).toEqual([['a', 'b']]));
});

test('writing changes ends when another replica syncs the cluster', async () => {
  queue.add(gone('a'));

  write(() => {
    throw new ClusterLeaseLost('c1');
  });

  await expect(running).rejects.toBeInstanceOf(ClusterLeaseLost);
});

test('a full queue makes producers wait for room', async () => {
  for (const uid of ['a', 'b', 'c']) queue.add(gone(uid));
  const waiting = queue.waitForRoom(stopping.signal).then(() => 'there is room');

  write();

  expect(await waiting).toBe('there is room');
  await vi.waitFor(() => expect(saved).toEqual([['a', 'b', 'c']]));
});

test('a producer that waits for room is released when the watch stops', async () => {
  for (const uid of ['a', 'b', 'c']) queue.add(gone(uid));
  const waiting = queue.waitForRoom(stopping.signal);
  running = Promise.resolve();

  stopping.abort();

  await expect(waiting).rejects.toThrow('aborted');
});
