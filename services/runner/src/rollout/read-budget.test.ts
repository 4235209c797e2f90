import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReadBudget, type ReadBudget } from './read-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

interface Waits {
  cluster?: string;
  pauseMs: number;
  /** The time of a read. */
  tookMs?: number;
}

/** Waits that read again and again; returns the times of the reads of each. */
function waiting(budget: ReadBudget, waits: readonly Waits[]) {
  const stop = new AbortController();
  const reads = waits.map(() => new Array<number>());
  for (const [index, { cluster = 'a', pauseMs, tookMs = 0 }] of waits.entries()) {
    const keepReading = async () => {
      for (let lastAt = performance.now(); ; lastAt = performance.now()) {
        using turn = await budget.turn({ cluster, pauseMs, lastAt }, stop.signal);
        turn.spend();
        reads[index]?.push(performance.now());
        if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
      }
    };
    keepReading().catch(() => undefined);
  }
  return { reads, stop: () => stop.abort() };
}

const budget = () => createReadBudget({ perSecond: 20, lanes: 4, perCluster: 2 });
const inAMinute = async () => void (await vi.advanceTimersByTimeAsync(60_000));
const many = (count: number, wait: Waits) => Array.from({ length: count }, () => wait);

describe('the reads of all waits together', () => {
  test('do not grow with their number', async () => {
    const counts: number[] = [];
    for (const waits of [100, 500]) {
      const { reads, stop } = waiting(budget(), many(waits, { pauseMs: 1_000 }));
      await inAMinute();
      stop();
      counts.push(reads.flat().length);
    }

    for (const count of counts) expect(count).toBeLessThanOrEqual(20 * 61);
    for (const count of counts) expect(count).toBeGreaterThan(20 * 55);
  });

  test('are shared evenly, and each wait reads at its own pause when there are few', async () => {
    const few = waiting(budget(), many(5, { pauseMs: 1_000 }));
    await inAMinute();
    few.stop();
    const all = waiting(budget(), many(200, { pauseMs: 1_000 }));
    await inAMinute();
    all.stop();

    for (const times of few.reads) expect(times.length).toBeGreaterThanOrEqual(58);
    const counts = all.reads.map((times) => times.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test('let a wait that has just begun read soon beside hundreds of long ones', async () => {
    const shared = budget();
    const long = waiting(shared, many(500, { pauseMs: 10_000 }));
    await inAMinute();
    const began = performance.now();
    const [times = []] = waiting(shared, [{ pauseMs: 100 }]).reads;
    await vi.advanceTimersByTimeAsync(2_000);
    long.stop();

    expect((times[0] ?? Number.POSITIVE_INFINITY) - began).toBeLessThan(500);
    expect(times.length).toBeGreaterThan(4);
  });

  test('of one slow cluster do not take the reads of others', async () => {
    const slow = many(50, { cluster: 'slow', pauseMs: 1_000, tookMs: 10_000 });
    const { reads, stop } = waiting(budget(), [...slow, { cluster: 'quick', pauseMs: 1_000 }]);
    await inAMinute();
    stop();

    expect(reads.at(-1)?.length).toBeGreaterThanOrEqual(58);
  });
});

test('a wait that ends leaves its slot to others', async () => {
  const shared = createReadBudget({ perSecond: 1, lanes: 1, perCluster: 1 });
  const gone = new AbortController();
  const first = shared.turn({ cluster: 'a', pauseMs: 60_000, lastAt: performance.now() }, gone.signal);
  gone.abort(new Error('canceled'));

  await expect(first).rejects.toThrow('canceled');
  using turn = await shared.turn(
    { cluster: 'a', pauseMs: 100, lastAt: Number.NEGATIVE_INFINITY },
    new AbortController().signal,
  );
  turn.spend();
});
