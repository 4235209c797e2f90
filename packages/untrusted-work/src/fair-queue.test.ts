import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

const shares = { running: 2, runningOfOwner: 1, waiting: 8, waitingOfOwner: 3 };

/** The owners in the order in which they get a slot. */
function served(queue: ReturnType<typeof createFairQueue>, owners: readonly string[]): string[] {
  const order: string[] = [];
  for (const owner of owners) {
    if (queue.take(owner)) order.push(owner);
    else void queue.wait(owner)?.turn.then(() => order.push(owner));
  }
  return order;
}

test('an owner has its share of the slots, and a slot stays free for others', () => {
  const queue = createFairQueue(shares);

  expect([queue.take('a'), queue.take('a'), queue.take('b'), queue.take('c')]).toEqual([true, false, true, false]);
});

test('an owner cannot fill the queue', () => {
  const queue = createFairQueue(shares);
  queue.take('a');

  expect(Array.from({ length: 5 }, () => queue.wait('a') !== null)).toEqual([true, true, true, false, false]);
  expect(queue.wait('b')).not.toBeNull();
});

test('the queue is bounded for all owners together', () => {
  const queue = createFairQueue(shares);
  const waits = Array.from({ length: 9 }, (_, index) => queue.wait(`owner ${index}`) !== null);

  expect(waits.filter(Boolean)).toHaveLength(8);
});

test('owners take turns, regardless of who came first', async () => {
  const queue = createFairQueue({ ...shares, running: 1 });
  const order = served(queue, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
  for (const owner of ['a', 'b', 'c', 'a', 'b', 'a', 'a']) {
    await Promise.resolve();
    expect(order.at(-1)).toBe(owner);
    queue.leave(owner);
  }
});

test('a caller that gave up gets no slot', async () => {
  const queue = createFairQueue({ ...shares, running: 1 });
  queue.take('a');
  const gone = queue.wait('b');
  const order: string[] = [];
  void queue.wait('c')?.turn.then(() => order.push('c'));

  expect(gone?.giveUp()).toBe(true);
  queue.leave('a');
  await Promise.resolve();
  expect(order).toEqual(['c']);
});

test('an owner gets its next turn although new owners keep coming', async () => {
  const queue = createFairQueue({ ...shares, running: 1 });
  const order = served(queue, ['a', 'a', 'b']);
  for (const arriving of ['c', 'd', 'e', 'f']) {
    void queue.wait(arriving)?.turn.then(() => order.push(arriving));
    queue.leave(order.at(-1) ?? '');
    await Promise.resolve();
  }

  expect(order).toEqual(['a', 'b', 'c', 'a', 'd']);
});
