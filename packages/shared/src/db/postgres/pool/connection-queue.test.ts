import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withDeadline } from '../../../waiting/deadline.ts';
import { connectionQueue } from './connection-queue.ts';

// The clock goes on only in `pass`: a machine that stalls changes no outcome.
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
const within = <T>(ms: number, work: () => T): T => withDeadline(performance.now() + ms, work);

test('a crowd that waits longer than the patience is served one after the other while connections come free', async () => {
  const { enter, leave } = queueOf(1);
  const works = Array.from({ length: 12 }, () =>
    within(60_000, async () => {
      await enter();
      await sleep(patienceMs / 4);
      leave(true);
    }),
  );

  await pass(works.length * patienceMs);
  await expect(Promise.all(works)).resolves.toHaveLength(12);
});

test('work with a nearer deadline goes first, and work of the same deadline in the order in which it came', async () => {
  const { enter, leave } = queueOf(1);
  const entered: string[] = [];
  await enter();
  const now = performance.now();
  const waits = ([name, deadline]: readonly [string, number]) =>
    withDeadline(deadline, () => enter().then(() => entered.push(name)));
  const waiting = [
    ['change', now + 50_000] as const,
    ['heartbeat', now + 20_000] as const,
    ['next change', now + 50_000] as const,
    ['next heartbeat', now + 20_000] as const,
  ].map(waits);

  for (const _ of waiting) {
    leave(true);
    await nextTurn();
  }
  await Promise.all(waiting);

  expect(entered).toEqual(['heartbeat', 'next heartbeat', 'change', 'next change']);
});

test.for<[string, number | undefined]>([
  ['with a far deadline', 60_000],
  ['without a deadline', undefined],
])('work %s is refused after the patience while no connection comes free', async ([, deadline]) => {
  const { enter, leave } = queueOf(1);
  await enter();
  const waiting = deadline === undefined ? enter() : within(deadline, enter);

  const outcome = outcomeOf(waiting);
  await pass(patienceMs + 1);
  expect(await outcome).toBe('refused');
  await expect(waiting).rejects.toBe(refused);

  leave(true);
  await expect(enter()).resolves.toBeUndefined();
});

test.for<[string, boolean, string]>([
  ['that worked lets those that still wait go on waiting', true, 'entered'],
  ['that broke does not', false, 'refused'],
])('a connection %s', async ([, worked, outcome]) => {
  const { enter, leave } = queueOf(1);
  await enter();
  const last = outcomeOf(within(60_000, enter));
  const before = within(50_000, enter);

  await pass(0.6 * patienceMs);
  leave(worked);
  await before;
  await pass(0.6 * patienceMs);
  leave(worked);
  await pass(patienceMs);

  expect(await last).toBe(outcome);
});

test('work whose deadline would pass first is refused, although connections come free', async () => {
  const { enter, leave } = queueOf(1);
  await enter();
  const last = outcomeOf(within(3 * patienceMs, enter));
  const before = Array.from({ length: 3 }, () => outcomeOf(within(3 * patienceMs - 10, enter)));

  for (const _ of [1, 2]) {
    await pass(0.9 * patienceMs);
    leave(true);
  }
  await pass(2 * patienceMs);

  expect(await last).toBe('refused');
  expect((await Promise.all(before)).at(-1)).toBe('refused');
});

test('work is refused when what it needs itself is more than is left before its deadline, although connections come free', async () => {
  const reserveMs = 60_000;
  const { enter, leave } = queueOf(1, 100, reserveMs);
  await enter();
  const before = Array.from({ length: 20 }, () => outcomeOf(within(reserveMs + 2 * patienceMs - 10, enter)));
  const last = outcomeOf(within(reserveMs + 2 * patienceMs, enter));

  for (let n = 0; n <= before.length; n += 1) {
    await pass(patienceMs / 4);
    leave(true);
  }

  expect(await last).toBe('refused');
});

test('work beyond the number that may wait is refused at once', async () => {
  const { enter, leave } = queueOf(1, 2);
  await enter();
  const waiting = [enter(), enter()];

  await expect(enter()).rejects.toBe(refused);

  leave(true);
  leave(true);
  await Promise.all(waiting);
});
