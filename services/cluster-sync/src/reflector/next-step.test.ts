import { describe, expect, test } from 'vitest';
import { nextPause } from './next-pause.ts';
import { initialState, nextStep, type Outcome, type ReflectorState, watchSeconds } from './next-step.ts';

const now = 1_000_000;
const chance = { startedAt: now - 100, now, random: 0.5, resyncMs: 600_000 };
const longAfter = { ...chance, startedAt: now - 400_000 };
const watching: ReflectorState = {
  ...initialState,
  step: 'watch',
  resourceVersion: '10',
  listTriedAt: now - 60_000,
  listedAt: now - 60_000,
};
const listing: ReflectorState = { ...watching, step: 'list' };
const failed: Outcome = { kind: 'failed', resourceVersion: '10', retryAfterMs: null, error: new Error('broken') };

describe('nextStep', () => {
  test.for<[string, ReflectorState, Outcome, Partial<ReflectorState>]>([
    [
      'watches from the version of the list',
      initialState,
      { kind: 'listed', resourceVersion: '7' },
      { step: 'watch', resourceVersion: '7', pauseMs: 0, listedAt: chance.startedAt },
    ],
    [
      'resets earlier failures after a list',
      { ...listing, fruitless: 5, backoffMs: 9_000 },
      { kind: 'listed', resourceVersion: '7' },
      { step: 'watch', fruitless: 0, backoffMs: 0 },
    ],
    [
      'backs off from a server that ends watches at once',
      watching,
      { kind: 'ended', resourceVersion: '10' },
      { step: 'watch', resourceVersion: '10', fruitless: 1, pauseMs: 1600 },
    ],
    [
      'restarts a silent watch from the last version',
      watching,
      { kind: 'silent', resourceVersion: '11' },
      { step: 'watch', resourceVersion: '11', pauseMs: 0, fruitless: 1 },
    ],
    [
      'lists again after five silent watches',
      { ...watching, fruitless: 4 },
      { kind: 'silent', resourceVersion: '10' },
      { step: 'list' },
    ],
    ['lists again when its version has expired', watching, { kind: 'expired' }, { step: 'list', pauseMs: 0 }],
    [
      'keeps five seconds between two lists',
      { ...watching, listTriedAt: now - 2_000 },
      { kind: 'expired' },
      { step: 'list', pauseMs: 3_000 },
    ],
    [
      'keeps five seconds between a failed list and the next',
      listing,
      failed,
      { step: 'list', pauseMs: 4_900, backoffMs: 1600 },
    ],
    ['keeps its version when a watch fails', watching, failed, { step: 'watch', resourceVersion: '10', pauseMs: 1600 }],
    ['lists again after five failed watches', { ...watching, fruitless: 4 }, failed, { step: 'list' }],
    [
      'watches again when the failed watch had delivered an event',
      { ...watching, fruitless: 4 },
      { ...failed, resourceVersion: '15' },
      { step: 'watch', resourceVersion: '15', fruitless: 1 },
    ],
    ['waits for the Retry-After of the server', watching, { ...failed, retryAfterMs: 20_000 }, { pauseMs: 20_000 }],
    [
      'waits a minute at most, whatever the Retry-After of the server',
      watching,
      { ...failed, retryAfterMs: 9_999_000 },
      { pauseMs: 60_000 },
    ],
    [
      'lists new namespaces when it is interrupted, from the last version',
      watching,
      { kind: 'interrupted', resourceVersion: '13' },
      { step: 'include', resourceVersion: '13', pauseMs: 0 },
    ],
    [
      'watches after the list of new namespaces',
      { ...watching, step: 'include' },
      { kind: 'included' },
      { step: 'watch' },
    ],
    ['retries the list of new namespaces when it fails', { ...watching, step: 'include' }, failed, { step: 'include' }],
  ])('%s', ([, state, outcome, expected]) => {
    expect(nextStep(state, outcome, chance)).toMatchObject(expected);
  });

  test('watches again from the last version when the server ends a watch after its time', () => {
    const state = nextStep(watching, { kind: 'ended', resourceVersion: '12' }, longAfter);

    expect(state).toMatchObject({ step: 'watch', resourceVersion: '12', pauseMs: 0 });
  });

  test('lists instead of watching when the resync is due', () => {
    const old = { ...watching, listedAt: now - 600_000, listTriedAt: now - 600_000 };

    expect(nextStep(old, { kind: 'ended', resourceVersion: '12' }, longAfter)).toMatchObject({
      step: 'list',
      pauseMs: 0,
    });
  });
});

describe('watchSeconds', () => {
  test('is between 300 and 600 s', () => {
    const longAhead = { ...chance, resyncMs: 10_000_000 };

    expect(watchSeconds(watching, { ...longAhead, random: 0 })).toBe(300);
    expect(watchSeconds(watching, { ...longAhead, random: 1 })).toBe(600);
  });

  test('ends when the resync is due', () => {
    expect(watchSeconds({ ...watching, listedAt: now - 590_000 }, chance)).toBe(10);
  });
});

describe('nextPause', () => {
  test('grows from 0.8 s to at most 30 s', () => {
    const pauses = [0, 0, 0, 0, 0, 0].reduce<number[]>((all) => [...all, nextPause(all.at(-1) ?? 0, 1)], []);

    expect(pauses).toEqual([2400, 7200, 21_600, 30_000, 30_000, 30_000]);
    expect(nextPause(30_000, 0)).toBe(800);
  });
});
