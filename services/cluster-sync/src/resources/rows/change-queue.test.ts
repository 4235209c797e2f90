import { expect, test } from 'vitest';
import { createChangeQueue, queueRoom, type RowChange } from './change-queue.ts';

const gone = (uid: string): RowChange => ({ uid });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const signal = new AbortController().signal;

/** Whether a promise is fulfilled now. */
async function isDone(work: Promise<void>): Promise<boolean> {
  let done = false;
  void work.then(() => (done = true));
  await turn();
  return done;
}

test('a list waits for shared room; a watch of another cluster does not', async () => {
  const room = queueRoom(3);
  const [listed, watched] = [createChangeQueue(10, room), createChangeQueue(10, room)];
  for (const uid of ['a', 'b', 'c']) listed.add(gone(uid));

  const list = listed.waitForSharedRoom(signal);
  const otherList = watched.waitForSharedRoom(signal);
  expect(await isDone(list)).toBe(false);
  expect(await isDone(otherList)).toBe(false);
  expect(await isDone(watched.waitForRoom(signal))).toBe(true);

  listed.take(1);
  expect(await isDone(list)).toBe(true);
  expect(await isDone(otherList)).toBe(true);
});

test('a change takes shared room once, however often it is replaced, taken and given back', () => {
  const room = queueRoom(10);
  const queue = createChangeQueue(10, room);
  for (const uid of ['a', 'b', 'a']) queue.add(gone(uid));
  expect(room.size).toBe(2);

  const taken = queue.take(2);
  expect(room.size).toBe(0);
  queue.add(gone('a'));
  queue.giveBack(taken);
  expect(room.size).toBe(2);

  queue.clear();
  expect([queue.size(), room.size]).toEqual([0, 0]);
});

test('a change that is given back does not replace a newer one of its object', () => {
  const queue = createChangeQueue(10);
  queue.add(gone('a'));
  const older = queue.take(1);
  const newer = gone('a');
  queue.add(newer);

  queue.giveBack(older);

  const [next, ...others] = queue.take(10);
  expect(next).toBe(newer);
  expect(others).toEqual([]);
});

test('a cluster that is no longer synced gives its room to the others', async () => {
  const room = queueRoom(1);
  const [ended, other] = [createChangeQueue(10, room), createChangeQueue(10, room)];
  ended.add(gone('a'));
  const waiting = other.waitForSharedRoom(signal);
  expect(await isDone(waiting)).toBe(false);

  ended.clear();

  expect(await isDone(waiting)).toBe(true);
});
