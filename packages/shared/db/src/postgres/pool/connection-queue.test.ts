import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withDeadline } from '@berth/service/waiting/deadline';
import { type ConnectionQueue, connectionQueue } from './connection-queue.ts';

// The clock only advances in `pass`, so a machine that stalls changes nothing.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1) {
    await vi.advanceTimersByTimeAsync(1);
    await nextTurn();
  }
}

const refused = new Error('no connection became free in time');
const patienceMs = 100;
const queueOf = (max: number, mostWaiting = 100, reserveMs = 50) =>
  connectionQueue({ max, mostWaiting, patienceMs, reserveMs, refusal: () => refused });
const outcomeOf = (entering: Promise<void>) =>
  entering.then(
    () => 'entered',
    () => 'refused',
  );
/** Frees a connection as an answered query does. */
function ends({ answered, leave }: ConnectionQueue): void {
  answered();
  leave();
}
const within = <T>(ms: number, work: () => T): T => withDeadline(performance.now() + ms, work);

test('a long queue is served in order while the server answers, even beyond the patience of its waiters', async () => {
  const queue = queueOf(1);
  const works = Array.from({ length: 12 }, () =>
    within(60_000, async () => {
      await queue.enter();
      await sleep(patienceMs / 4);
      ends(queue);
    }),
  );

  await pass(works.length * patienceMs);
  await expect(Promise.all(works)).resolves.toHaveLength(12);
});

test('work with an earlier deadline goes first, equal deadlines in order of arrival', async () => {
  const queue = queueOf(1);
  const entered: string[] = [];
  await queue.enter();
  const now = performance.now();
  const waits = ([name, deadline]: readonly [string, number]) =>
    withDeadline(deadline, () => queue.enter().then(() => entered.push(name)));
  const waiting = [
    ['change', now + 50_000] as const,
    ['heartbeat', now + 20_000] as const,
    ['next change', now + 50_000] as const,
    ['next heartbeat', now + 20_000] as const,
  ].map(waits);

  for (const _ of waiting) {
    ends(queue);
    await nextTurn();
  }
  await Promise.all(waiting);

  expect(entered).toEqual(['heartbeat', 'next heartbeat', 'change', 'next change']);
});

test.for<[string, number | undefined]>([
  ['with a late deadline', 60_000],
  ['without a deadline', undefined],
])('work %s is refused after the patience if the server does not answer', async ([, deadline]) => {
  const queue = queueOf(1);
  await queue.enter();
  const waiting = deadline === undefined ? queue.enter() : within(deadline, queue.enter);

  const outcome = outcomeOf(waiting);
  await pass(patienceMs + 1);
  expect(await outcome).toBe('refused');
  await expect(waiting).rejects.toBe(refused);

  ends(queue);
  await expect(queue.enter()).resolves.toBeUndefined();
});

test.for<[string, (queue: ConnectionQueue) => void, string]>([
  ['work continues to wait after a statement is answered', ({ answered }) => answered(), 'entered'],
  ['work is refused after a connection breaks without an answer', () => undefined, 'refused'],
])('%s', async ([, happens, outcome]) => {
  const queue = queueOf(1);
  await queue.enter();
  const last = outcomeOf(within(60_000, queue.enter));
  const before = within(50_000, queue.enter);

  await pass(0.6 * patienceMs);
  happens(queue);
  queue.leave();
  await before;
  await pass(0.6 * patienceMs);
  happens(queue);
  await pass(0.6 * patienceMs);
  happens(queue);
  queue.leave();
  await pass(patienceMs);

  expect(await last).toBe(outcome);
});

test('work whose deadline would pass first is refused, even if the server answers', async () => {
  const queue = queueOf(1);
  await queue.enter();
  const last = outcomeOf(within(3 * patienceMs, queue.enter));
  const before = Array.from({ length: 3 }, () => outcomeOf(within(3 * patienceMs - 10, queue.enter)));

  for (const _ of [1, 2]) {
    await pass(0.9 * patienceMs);
    ends(queue);
  }
  await pass(2 * patienceMs);

  expect(await last).toBe('refused');
  expect((await Promise.all(before)).at(-1)).toBe('refused');
});

test('work that needs more time than it has left is refused, even if the server answers', async () => {
  const reserveMs = 60_000;
  const queue = queueOf(1, 100, reserveMs);
  await queue.enter();
  const before = Array.from({ length: 20 }, () => outcomeOf(within(reserveMs + 2 * patienceMs - 10, queue.enter)));
  const last = outcomeOf(within(reserveMs + 2 * patienceMs, queue.enter));

  for (let n = 0; n <= before.length; n += 1) {
    await pass(patienceMs / 4);
    ends(queue);
  }

  expect(await last).toBe('refused');
});

test('work beyond the number that may wait is refused at once', async () => {
  const queue = queueOf(1, 2);
  await queue.enter();
  const waiting = [queue.enter(), queue.enter()];

  await expect(queue.enter()).rejects.toBe(refused);

  ends(queue);
  ends(queue);
  await Promise.all(waiting);
});
