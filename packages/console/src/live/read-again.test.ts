import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readAgain, waitBeforeRead } from './read-again.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first change after a quiet time is read at once, later ones a quarter of a second after the previous read, or a second if it still runs', () => {
  expect(waitBeforeRead(undefined, 1_000)).toBe(0);
  expect(waitBeforeRead({ startedAt: 1_000, isRunning: false }, 9_000)).toBe(0);
  expect(waitBeforeRead({ startedAt: 1_000, isRunning: false }, 1_100)).toBe(150);
  expect(waitBeforeRead({ startedAt: 1_000, isRunning: true }, 1_400)).toBe(600);
  expect(waitBeforeRead({ startedAt: 1_000, isRunning: true }, 9_000)).toBe(0);
});

test('a hundred changes in a second cause a few reads, the last of which starts after the last change', async () => {
  const { started, changed } = await shown(20);
  for (let change = 0; change < 100; change += 1) {
    changed('clusters');
    await vi.advanceTimersByTimeAsync(10);
  }
  const lastChange = Date.now() - 10;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.length).toBeLessThanOrEqual(6);
  expect(started.at(-1)).toBeGreaterThanOrEqual(lastChange);
});

test('answers are shown even if changes come faster than answers', async () => {
  const { answers, changed } = await shown(400);
  const before = answers();
  for (let change = 0; change < 30; change += 1) {
    changed('clusters');
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(answers() - before).toBeGreaterThanOrEqual(6);
});

test('a change during the first read of a table causes another read', async () => {
  const { started, changed } = await shown(100, 50);
  changed('clusters');
  const changedAt = Date.now();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.at(-1)).toBeGreaterThan(changedAt);
});

/** A list that has been shown for `forMs`, and whose reads take `takesMs`. */
async function shown(takesMs: number, forMs = 5_000) {
  const queries = new QueryClient();
  const started: number[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ['clusters', 'page'],
    queryFn: async ({ signal }) => {
      started.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, takesMs));
      signal.throwIfAborted();
      return started.length;
    },
  });
  observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(forMs);
  let answers = 0;
  let updatedAt = 0;
  observer.subscribe(({ dataUpdatedAt }) => {
    if (dataUpdatedAt !== updatedAt) answers += 1;
    updatedAt = dataUpdatedAt;
  });
  return { started, answers: () => answers, changed: readAgain(queries).changed };
}
