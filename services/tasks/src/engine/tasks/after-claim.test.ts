import { describe, expect, test } from 'vitest';
import {
  afterClaim,
  type ClaimHistory,
  type EndedClaim,
  helmAtEnd,
  type HelmAtEnd,
  type RetryPolicy,
} from './after-claim.ts';

const policy: RetryPolicy = { maxAttempts: 3, leaseMs: 30_000, spread: () => 0 };
const fresh: ClaimHistory = { attempts: 0, waited_ms: 0, forbidden_ms: 0, handed_back: 0 };
const claim: EndedClaim = { ...fresh, outcome: 'Retry', helm: 'not begun', isCanceled: false, isRepeatable: true };
const helms = ['not begun', 'works', 'ended'] as const satisfies HelmAtEnd[];
const outcomes = ['Done', 'Failed', 'Canceled', 'Retry', 'Unreachable', 'Forbidden', 'HandedBack', 'Silent'] as const;

test('Helm has ended if it began and either a heartbeat or the outcome says so', () => {
  const ofFacts = every([false, true], [false, true], [false, true]).map(([began, awaits, saysEnded]) =>
    helmAtEnd({ began, awaits, saysEnded }),
  );

  const notBegun = Array.from({ length: 4 }, () => 'not begun');
  expect(ofFacts).toEqual([...notBegun, 'works', 'ended', 'ended', 'ended']);
});

describe('afterClaim', () => {
  test.for(outcomes.filter((outcome) => !['Done', 'Failed', 'Canceled'].includes(outcome)))(
    'never repeats a call that had begun, after %s',
    (outcome) => {
      const begun: EndedClaim = { ...claim, outcome, helm: 'works', attempts: 1, isRepeatable: false };

      expect(afterClaim(begun, policy)).toMatchObject({
        ends: 'Failed',
        because: expect.stringContaining('not repeated'),
      });
      expect(afterClaim({ ...begun, helm: 'not begun', attempts: 0 }, policy)).toHaveProperty('pauseMs');
    },
  );

  test.for<[string, Partial<EndedClaim>, ReturnType<typeof afterClaim>]>([
    ['ends a task that is done', { outcome: 'Done', helm: 'works', attempts: 1 }, { ends: 'Done' }],
    [
      'does not repeat a failure that would happen again',
      { outcome: 'Failed', helm: 'works', attempts: 1 },
      { ends: 'Failed' },
    ],
    ['repeats an attempt', { helm: 'works', attempts: 1 }, { ...fresh, attempts: 1, pauseMs: 5_000 }],
    ['waits before the second attempt', { helm: 'works', attempts: 2 }, { ...fresh, attempts: 2, pauseMs: 10_000 }],
    ['fails after the third attempt', { helm: 'works', attempts: 3 }, { ends: 'Failed', because: 'attempt 3 of 3' }],
    [
      'counts no attempt before Helm has begun, and lets the task wait',
      { outcome: 'Unreachable' },
      { ...fresh, waited_ms: 5_000, pauseMs: 5_000 },
    ],
    [
      'waits longer each time',
      { outcome: 'Unreachable', attempts: 2, waited_ms: 20_000 },
      { ...fresh, attempts: 2, waited_ms: 40_000, pauseMs: 20_000 },
    ],
    [
      'waits no longer than a minute at a time',
      { outcome: 'Unreachable', waited_ms: 300_000 },
      { ...fresh, waited_ms: 360_000, pauseMs: 60_000 },
    ],
    [
      'fails a task that has waited for ten minutes',
      { outcome: 'Unreachable', waited_ms: 600_000 },
      { ends: 'Failed', because: 'waited 600 s for it' },
    ],
    [
      'makes the last attempt ten minutes after Helm had an outage for the second time',
      { outcome: 'Unreachable', helm: 'works', attempts: 2 },
      { ...fresh, attempts: 2, pauseMs: 600_000 },
    ],
    [
      'makes the last attempt one minute after Helm was denied a right for the second time',
      { outcome: 'Forbidden', helm: 'works', attempts: 2 },
      { ...fresh, attempts: 2, pauseMs: 60_000 },
    ],
    [
      'gives a denied right its own minute, however long the cluster was unreachable before',
      { outcome: 'Forbidden', waited_ms: 600_000 },
      { ...fresh, waited_ms: 600_000, forbidden_ms: 5_000, pauseMs: 5_000 },
    ],
    [
      'fails a task one minute after a right was denied',
      { outcome: 'Forbidden', forbidden_ms: 60_000 },
      { ends: 'Failed', because: 'waited 60 s for it' },
    ],
    [
      'does not count a task that a stopping runner hands back as an attempt',
      { outcome: 'HandedBack', helm: 'works', attempts: 2 },
      { ...fresh, attempts: 1, handed_back: 1, pauseMs: 0 },
    ],
    [
      'counts the attempt of a task that is handed back after Helm has deployed its release',
      { outcome: 'HandedBack', helm: 'ended', attempts: 2 },
      { ...fresh, attempts: 2, handed_back: 1, pauseMs: 0 },
    ],
    [
      'counts an attempt once a task has been handed back a hundred times',
      { outcome: 'HandedBack', helm: 'works', attempts: 3, handed_back: 100 },
      { ends: 'Failed', because: 'attempt 3 of 3' },
    ],
    [
      'gives the task of a silent runner to another one at once, and counts the attempt if Helm had begun',
      { outcome: 'Silent', helm: 'works', attempts: 1 },
      { ...fresh, attempts: 1, pauseMs: 0 },
    ],
    [
      "treats a runner's silence before Helm as a wait",
      { outcome: 'Silent' },
      { ...fresh, waited_ms: 30_000, pauseMs: 0 },
    ],
    ['cancels a task that would otherwise be repeated', { isCanceled: true, outcome: 'Silent' }, { ends: 'Canceled' }],
    ['ends a finished task as done although it was canceled', { isCanceled: true, outcome: 'Done' }, { ends: 'Done' }],
  ])('%s', ([, given, expected]) => {
    expect(afterClaim({ ...claim, ...given }, policy)).toEqual(expected);
  });

  const waits = [0, 1, 5_000, 59_999, 60_000, 599_999, 600_000, 700_000];
  const all = every(outcomes, helms, [false, true], [0, 1, 2, 3, 4], waits, waits, [0, 99, 100], [0, 1]).map(
    ([outcome, helm, isCanceled, attempts, waited_ms, forbidden_ms, handed_back, spread]) => {
      const ended = { ...claim, outcome, helm, isCanceled, attempts, waited_ms, forbidden_ms, handed_back };
      return { ended, next: afterClaim(ended, { ...policy, spread: () => spread }) };
    },
  );

  test("ends a task by its runner's outcome or a cancellation, else only after the last attempt or the longest wait", () => {
    const wrong = all.filter(({ ended, next }) => {
      const { outcome, helm, isCanceled, attempts, waited_ms, forbidden_ms, handed_back } = ended;
      const waited = outcome === 'Forbidden' ? forbidden_ms >= 60_000 : waited_ms >= 600_000;
      const isOver = helm === 'works' ? attempts >= 3 : waited;
      const isGivenBack = outcome === 'HandedBack' && handed_back < 100;
      const isFailed = isOver && !isGivenBack;
      const isTold = outcome === 'Done' || outcome === 'Failed' || outcome === 'Canceled';
      const expected = isTold ? outcome : isCanceled ? 'Canceled' : isFailed ? 'Failed' : 'waits';
      return ('ends' in next ? next.ends : 'waits') !== expected;
    });

    expect(wrong).toEqual([]);
  });

  test('keeps each pause within its bounds and counts it', () => {
    const wrong = all.filter(({ ended, next }) => {
      if ('ends' in next) return false;
      const { outcome, helm, attempts, waited_ms, forbidden_ms, handed_back } = ended;
      const { pauseMs } = next;
      const isGivenBack = outcome === 'HandedBack' && handed_back < 100;
      const isBounded = Number.isInteger(pauseMs) && pauseMs >= 0 && pauseMs <= 600_000;
      const isPaused = pauseMs > 0 || isGivenBack || outcome === 'Silent';
      const isCounted =
        helm === 'works' || isGivenBack || next.waited_ms + next.forbidden_ms > waited_ms + forbidden_ms;
      const keepsAttempts = next.attempts === attempts - (isGivenBack && helm === 'works' ? 1 : 0);
      return !isBounded || !isPaused || !isCounted || !keepsAttempts;
    });

    expect(wrong).toEqual([]);
  });

  test.for([0, 1])(
    'whatever a runner reports, Helm begins three times at most and each wait ends (spread %i)',
    (spread) => {
      const unheard = { outcomes: outcomes.filter((outcome) => outcome !== 'HandedBack'), spread: () => spread };
      const walked = walk(fresh, unheard, new Map());

      expect(walked.helms).toBe(3);
      // Each of the three starts of Helm can have a wait of eleven minutes before it, in steps of at least five seconds.
      expect(walked.claims).toBeLessThan(150);
    },
  );

  test.for<[string, EndedClaim['outcome'], HelmAtEnd, number]>([
    ['that does not answer before Helm', 'Unreachable', 'not begun', 600_000],
    ['that does not answer while Helm runs', 'Unreachable', 'works', 605_000],
    ['that refuses a right before Helm', 'Forbidden', 'not begun', 60_000],
    ['that refuses a right to Helm', 'Forbidden', 'works', 65_000],
  ])('a cluster %s is waited for that long', ([, outcome, helm, total]) => {
    let history = fresh;
    let paused = 0;
    for (let steps = 0; steps < 100; steps += 1) {
      const attempts = history.attempts + (helm === 'works' ? 1 : 0);
      const next = afterClaim({ ...history, attempts, outcome, helm, isCanceled: false, isRepeatable: true }, policy);
      if ('ends' in next) break;
      paused += next.pauseMs;
      history = next;
    }

    expect(paused).toBe(total);
  });
});

/** All combinations. */
function every<const Lists extends readonly (readonly unknown[])[]>(
  ...lists: Lists
): { [K in keyof Lists]: Lists[K][number] }[] {
  const combined = lists.reduce<unknown[][]>(
    (rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])),
    [[]],
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each row has one item of each list, in their order
  return combined as { [K in keyof Lists]: Lists[K][number] }[];
}

interface Walked {
  claims: number;
  helms: number;
}

/** The most claims of a task, and the most with Helm, over all sequences of outcomes. */
function walk(
  history: ClaimHistory,
  given: { outcomes: readonly EndedClaim['outcome'][]; spread: () => number },
  walked: Map<string, Walked>,
): Walked {
  const key = JSON.stringify([history.attempts, history.waited_ms, history.forbidden_ms]);
  const known = walked.get(key);
  if (known) return known;
  const most = { claims: 0, helms: 0 };
  for (const [outcome, helm] of every(given.outcomes, ['not begun', 'works'] as const)) {
    const attempts = history.attempts + (helm === 'works' ? 1 : 0);
    const ended = { ...history, attempts, outcome, helm, isCanceled: false, isRepeatable: true };
    const next = afterClaim(ended, { ...policy, spread: given.spread });
    const later = 'ends' in next ? { claims: 0, helms: 0 } : walk(next, given, walked);
    most.claims = Math.max(most.claims, later.claims + 1);
    most.helms = Math.max(most.helms, later.helms + (helm === 'works' ? 1 : 0));
  }
  walked.set(key, most);
  return most;
}
