import { expect, test } from 'vitest';
import { type Held, hold, reportedHealth } from './hold.ts';
import type { Observed, ObservedCause } from './roll-up.ts';
import { weightOf } from './weight-of.ts';

const start = Date.parse('2026-11-23T20:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const cause = (name: string, of = 'CrashLoopBackOff'): ObservedCause => ({
  kind: 'Pod',
  name,
  cause: of,
  message: `${name} has ${of}`,
  since: at(0),
  telling: weightOf({ kind: 'Pod', state: 'Degraded', cause: of }),
});
const healthy: Observed = { state: 'Healthy', causes: [] };
const suspended: Observed = { state: 'Suspended', causes: [] };
const degraded = (...causes: ObservedCause[]): Observed => ({ state: 'Degraded', causes });
const progressing: Observed = { state: 'Progressing', causes: [{ ...cause('web', 'Progressing'), telling: 10 }] };
const crash = degraded(cause('web-1'));

type Word = 'H' | 'P' | 'D' | 'S';
const observed: Record<Word, Observed> = { H: healthy, P: progressing, D: crash, S: suspended };

/** Observes and rolls up at each change and at `changesAt`; returns each shown state with its start. */
function shownOver(changes: readonly [number, Word][]): [number, string][] {
  let held: Held | null = null;
  const shown: [number, string][] = [];
  const wakeUps = new Set(changes.map(([second]) => second));
  let now: Word = 'H';
  for (let second = 0; second <= 200; second += 1) {
    now = changes.find(([when]) => when === second)?.[1] ?? now;
    if (!wakeUps.has(second)) continue;
    const result = hold(held, observed[now], at(second));
    ({ held } = result);
    if (result.changesAt !== null) wakeUps.add(Math.ceil((Date.parse(result.changesAt) - start) / 1_000));
    if (shown.at(-1)?.[1] !== held.shown.state) shown.push([second, held.shown.state]);
  }
  return shown;
}

test.for<[string, [number, Word][], [number, string][]]>([
  [
    'a worse state is shown at once',
    [
      [0, 'H'],
      [10, 'D'],
    ],
    [
      [0, 'Healthy'],
      [10, 'Degraded'],
    ],
  ],
  [
    'a better one once it has lasted',
    [
      [0, 'D'],
      [10, 'H'],
    ],
    [
      [0, 'Degraded'],
      [40, 'Healthy'],
    ],
  ],
  [
    'one that comes and goes within 30 s is not shown',
    [
      [0, 'D'],
      [10, 'H'],
      [39, 'D'],
      [50, 'H'],
      [79, 'D'],
    ],
    [[0, 'Degraded']],
  ],
  [
    'a blip of a worse one lasts 30 s',
    [
      [0, 'H'],
      [10, 'D'],
      [11, 'H'],
    ],
    [
      [0, 'Healthy'],
      [10, 'Degraded'],
      [41, 'Healthy'],
    ],
  ],
  [
    'between worst and best is the worst of the last 30 s',
    [
      [0, 'D'],
      [10, 'P'],
      [30, 'H'],
    ],
    [
      [0, 'Degraded'],
      [40, 'Progressing'],
      [60, 'Healthy'],
    ],
  ],
  [
    'a new one is shown as it is',
    [
      [0, 'P'],
      [5, 'H'],
    ],
    [
      [0, 'Progressing'],
      [35, 'Healthy'],
    ],
  ],
  [
    'neither of healthy and suspended is worse',
    [
      [0, 'H'],
      [5, 'S'],
      [6, 'H'],
    ],
    [
      [0, 'Healthy'],
      [5, 'Suspended'],
      [6, 'Healthy'],
    ],
  ],
])('%s', ([, changes, shown]) => {
  expect(shownOver(changes)).toEqual(shown);
});

test('over every sequence of eight states, the worst of the last 30 s is shown, and never anything better', () => {
  const rank = { Healthy: 0, Suspended: 0, Progressing: 1, Degraded: 2 };
  const words: Word[] = ['H', 'P', 'D'];
  const gaps = [5, 25, 35];
  const wrong: string[] = [];
  for (let index = 0; index < 3 ** 8; index += 1) {
    const digits = index.toString(3).padStart(8, '0').split('').map(Number);
    let second = 0;
    let held: Held | null = null;
    const seen: { state: Word; from: number }[] = [];
    for (const [place, digit] of digits.entries()) {
      second += gaps[(digit + place) % 3] ?? 5;
      const word = words[digit] ?? 'H';
      seen.push({ state: word, from: second });
      ({ held } = hold(held, observed[word], at(second)));
      const recent = seen.filter(
        (_state, each) => (seen[each + 1]?.from ?? Infinity) > second - 30 || each === seen.length - 1,
      );
      const worst = Math.max(...recent.map(({ state }) => rank[observed[state].state]));
      if (rank[held.shown.state] !== worst) wrong.push(`${JSON.stringify(seen)}: ${held.shown.state}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('a state is shown since it began; that of a better state is the end of the worse one', () => {
  const first = hold(null, crash, at(0)).held;
  const recovering = hold(first, healthy, at(10)).held;
  const recovered = hold(recovering, healthy, at(40)).held;

  expect(reportedHealth(recovering)).toMatchObject({ state: 'Degraded', since: at(0), causes: [{ name: 'web-1' }] });
  expect(reportedHealth(recovered)).toEqual({ state: 'Healthy', since: at(10), reason: null, causes: [] });
  expect(hold(recovered, crash, at(50)).held.shown.since).toBe(at(50));
});

test('the first cause stays for 30 s after it is no longer observed, unless a more specific one appears', () => {
  const firstOf = ({ held }: { held: Held }) => `${held.shown.causes[0]?.name} ${held.shown.causes[0]?.cause}`;
  const unready = degraded(cause('web-1', 'ContainersNotReady'));
  const before = hold(null, crash, at(0));

  const restarting = hold(before.held, unready, at(10));
  expect(firstOf(restarting)).toBe('web-1 CrashLoopBackOff');
  expect(restarting.held.shown.causes).toHaveLength(1);
  expect(firstOf(hold(restarting.held, crash, at(20)))).toBe('web-1 CrashLoopBackOff');
  expect(restarting.changesAt).toBe(at(40));
  expect(firstOf(hold(restarting.held, unready, at(40)))).toBe('web-1 ContainersNotReady');
  expect(firstOf(hold(restarting.held, degraded(cause('web-2', 'OOMKilled')), at(20)))).toBe('web-2 OOMKilled');
  expect(firstOf(hold(before.held, degraded(cause('web-2')), at(20)))).toBe('web-1 CrashLoopBackOff');
  expect(firstOf(hold(before.held, degraded(cause('web-0'), cause('web-1')), at(20)))).toBe('web-1 CrashLoopBackOff');
});

test('the reason names the first cause and how many there are, and is never null while something is wrong', () => {
  const two = hold(null, degraded(cause('web-1'), cause('web-2')), at(0)).held;
  expect(reportedHealth(two).reason).toBe('Pod web-1: web-1 has CrashLoopBackOff; and 1 more');

  const afterBlip = hold(hold(hold(null, progressing, at(0)).held, crash, at(1)).held, healthy, at(20)).held;
  const held = hold(afterBlip, healthy, at(25)).held;
  expect(reportedHealth(held)).toMatchObject({ state: 'Degraded', reason: 'Pod web-1: web-1 has CrashLoopBackOff' });
  expect(reportedHealth({ ...held, shown: { ...held.shown, causes: [] } }).reason).toBe('it has just recovered');
});
