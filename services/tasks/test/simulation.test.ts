import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deciders, decidersOf } from './simulation/deciders.ts';
import { mutations } from './simulation/mutations.ts';
import { recordLocks } from './simulation/record-locks.ts';
import { simulate } from './simulation/simulate.ts';

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 3_000);

let deciders: Deciders;
const { stackTraceLimit } = Error;
beforeAll(async () => {
  deciders = decidersOf(await recordLocks());
  // Stacks of errors would take a third of the time, because failed tasks are errors.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

/** The first seed that breaks an invariant, with its trace. */
function firstBroken(with_: Deciders, counts?: Map<string, number>): { seed: number; rule: string } | null {
  for (let seed = 0; seed < seeds; seed += 1) {
    const { broken } = simulate(seed, with_, counts ? { counts } : {});
    if (broken !== null) return { seed, rule: broken };
  }
  return null;
}

test(`in ${seeds} seeds, no schedule of faults breaks an invariant of engine and runner`, { timeout: 300_000 }, () => {
  const counts = new Map<string, number>();

  const broken = firstBroken(deciders, counts);

  const report = broken && [
    `seed ${broken.seed}: ${broken.rule}`,
    ...simulate(broken.seed, deciders, { traced: true }).trace,
  ];
  expect(report?.join('\n') ?? 'all hold').toBe('all hold');
  // Each of these must occur in many seeds; otherwise the run proves nothing.
  for (const what of [
    'requests that were accepted',
    'Helm runs: deploy',
    'Helm runs: uninstall',
    'claims that were taken back',
    'releases that were repaired',
    'releases that were adopted',
    'releases that did not become ready',
    'waits that another runner continued',
    'tasks that were superseded',
    'waits during an outage of the cluster',
    'runners that were killed while they waited',
    'runners that were stopped while they waited',
    'claims that found no free slot',
    'commits that failed',
    'commits whose answer was lost',
    'replicas that were killed',
    'runners that were killed',
    'runners that were paused',
    'runners that were stopped',
    'machines that were frozen',
    'Helm processes that were killed',
    'outages of the cluster',
  ]) {
    expect([what, (counts.get(what) ?? 0) > seeds / 100]).toEqual([what, true]);
  }
});

test.for(Object.entries(mutations))('the simulation finds that %s', { timeout: 300_000 }, ([name, mutate]) => {
  const found = firstBroken({ ...deciders, ...mutate(deciders) });

  expect(found).not.toBeNull();
  process.stdout.write(`${name}: seed ${found?.seed}, ${found?.rule}\n`);
});
