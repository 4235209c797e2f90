import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { silentLog } from '@berth/testing/test-bus';
import { every, pauseMs } from './loop.ts';
import type { LoopReporter } from './service.ts';

function listen() {
  const outcomes: string[] = [];
  const reporter: LoopReporter = {
    log: silentLog,
    repeats: () => undefined,
    ran: (outcome) => void outcomes.push(outcome),
  };
  return { outcomes, reporter };
}

describe('every', () => {
  test('runs at once and then repeatedly, never twice at a time, until its signal aborts', async () => {
    const end = new AbortController();
    let running = 0;
    let most = 0;
    let runs = 0;

    await every(1, async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      runs += 1;
      if (runs === 5) end.abort();
    })(end.signal);

    expect({ runs, most }).toEqual({ runs: 5, most: 1 });
  });

  test('reports a failure and continues', async () => {
    const end = new AbortController();
    const { outcomes, reporter } = listen();
    let runs = 0;

    await every(1, () => {
      runs += 1;
      if (runs === 1) throw new Error('once');
      end.abort();
    })(end.signal, reporter);

    expect(outcomes).toEqual(['failed', 'ok']);
  });

  test('ends with the failure if it has no reporter', async () => {
    const loop = every(1, () => Promise.reject(new Error('unheard')));

    await expect(loop(new AbortController().signal)).rejects.toThrow('unheard');
  });

  test('ends at once when its signal aborts during a long pause', async () => {
    const end = new AbortController();
    const loop = every(60_000, () => undefined)(end.signal);
    await sleep(10);

    end.abort();

    await expect(loop).resolves.toBeUndefined();
  });
});

describe('pauseMs', () => {
  test.for([
    [1_000, 0, 1_000],
    [1_000, 1, 2_000],
    [1_000, 4, 16_000],
    [1_000, 50, 60_000],
    [300_000, 3, 300_000],
    [0, 1, 200],
  ] as const)('for %i ms and %i failures is about %i ms', ([ms, failures, about]) => {
    const pause = pauseMs(ms, failures);

    expect(pause).toBeGreaterThanOrEqual(about * 0.95);
    expect(pause).toBeLessThanOrEqual(about * 1.05);
  });
});
