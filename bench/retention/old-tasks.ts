import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { scaled } from '../platform/scaled.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { benchRunner, runnerBus } from '../platform/bench-runners.ts';
import { insertManyDeployments, makeDue, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';

const deployments = scaled(10_000);
const tasksOfEach = 30;
const rounds = 2;
const name = 'old-';
const loop = 'remove old tasks';

/** Retention sweeps over 300,000 tasks that ended more than a year ago, with concurrent claims, in turns with claims alone. */
export async function oldTasks(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(i) removal of ${deployments * tasksOfEach} old tasks; ${loadOfMachine()}`);
  await stack.part('runner').stop();
  await using db = await databaseOf(stack);
  await using bus = await runnerBus(stack);
  const began = performance.now();
  try {
    const many = { name, count: deployments, tasksOfEach, youngest: 370, apart: 1 };
    await insertManyDeployments(db, targetOf(fixtures), many);
    await makeDue(db, name);
    say(`    all rows are there after ${((performance.now() - began) / 1_000).toFixed(0)} s; ${loadOfMachine()}`);
    await untilQuiet(say);
    const claims: { meanwhile: number[]; alone: number[] } = { meanwhile: [], alone: [] };
    const seconds: number[] = [];
    let removed = 0;
    for (let round = 0; round < rounds; round += 1) {
      // A sweep runs when the service starts, then every ten minutes.
      await stack.part('tasks').stop();
      await stack.part('tasks').start();
      claims.meanwhile.push(...(await claimsDuring(bus, async () => seconds.push(await endOfSweep(stack)))));
      removed += await metric(stack, 'berth_tasks_removed_total');
      claims.alone.push(...(await claimsDuring(bus, () => delay((seconds.at(-1) ?? 1) * 1_000))));
      say(`    round ${round + 1} of ${rounds}  a sweep of ${seconds.at(-1)?.toFixed(1)} s`);
    }
    const swept = seconds.reduce((sum, each) => sum + each, 0);
    const shown = (samples: readonly number[]) =>
      `${samples.length}, p50 ${quantile(samples, 0.5).toFixed(1)} ms, p99 ${quantile(samples, 0.99).toFixed(1)}`;
    say(`    sweeps            ${seconds.map((each) => each.toFixed(1)).join(' and ')} s`);
    say(`    removed           ${removed} tasks, ${(removed / swept).toFixed(0)} per second`);
    say(`    claims alone      ${shown(claims.alone)}`);
    say(`    claims meanwhile  ${shown(claims.meanwhile)}`);
    const ratio = quantile(claims.meanwhile, 0.5) / quantile(claims.alone, 0.5);
    say(`    ratio             ${ratio.toFixed(2)} × the time of a claim; ${loadOfMachine()}`);
  } finally {
    await removeManyDeployments(db, name);
    await stack.part('runner').start();
  }
}

/** One runner with one slot, so that claims do not wait for each other. */
async function claimsDuring(
  bus: Awaited<ReturnType<typeof runnerBus>>,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const over = new AbortController();
  const taken: number[] = [];
  const claimed = (_: unknown, tookMs: number) => void taken.push(tookMs);
  const runner = benchRunner({ bus, slots: 1, signal: over.signal, claimed });
  await work().finally(() => over.abort());
  await runner;
  return taken;
}

/** Waits for the end of the first sweep of the process; returns its duration in seconds. */
async function endOfSweep(stack: Stack): Promise<number> {
  const runs = () => metric(stack, `berth_loop_runs_total{loop="${loop}",outcome="ok"}`);
  await waitUntil(async () => (await runs()) > 0, {
    what: 'the end of the sweep',
    withinMs: 300_000,
    everyMs: 100,
    longestPauseMs: 100,
  });
  return metric(stack, `berth_loop_seconds_total{loop="${loop}",outcome="ok"}`);
}

async function metric({ healthPorts }: Stack, series: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${healthPorts.tasks}/metrics`)).text();
  return Number(page.split(`\n${series} `)[1]?.split('\n')[0] ?? 0);
}
