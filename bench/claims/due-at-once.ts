import { setTimeout as delay } from 'node:timers/promises';
import { type Client as Api, unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Client } from 'pg';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { scaled } from '../platform/scaled.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { benchRunner, runnerBus } from '../platform/bench-runners.ts';
import { insertManyDeployments, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';

const runners = 4;
const slots = 16;
const canceled = scaled(1_000);
const cancelers = 16;
const tasks = scaled(10_000);
const inMs = 10_000;
/** On a busy machine some tasks may not have been claimed by then; the number claimed is shown. */
const longestMs = 180_000;
const name = 'storm-';

/**
 * Ten thousand tasks become due at the same moment; four runners claim and end them, and meanwhile a thousand are canceled. It
 * compares the pace of the first quarter of the claims with that of the last.
 */
export async function dueAtOnce(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(h) ${tasks} tasks due at the same moment, ${runners} runners; ${loadOfMachine()}`);
  await stack.part('runner').stop();
  await using db = await databaseOf(stack);
  await using bus = await runnerBus(stack);
  const began = performance.now();
  try {
    await insertManyDeployments(db, targetOf(fixtures), { name, count: tasks, tasksOfEach: 1 });
    say(`    all rows are there after ${((performance.now() - began) / 1_000).toFixed(0)} s; ${loadOfMachine()}`);
    await untilQuiet(say);
    const { dueAt, ids } = await schedule(db);
    const late = new Map<string, number>();
    const over = new AbortController();
    const all = new Set(ids);
    const leftOver = new Set(ids);
    const runner = () =>
      benchRunner({
        bus,
        slots,
        signal: over.signal,
        claimed: ({ task_id }) => {
          // Drains Uninstalls that earlier measurements left.
          if (!all.has(task_id)) return;
          if (late.has(task_id)) throw new Error(`task ${task_id} was claimed twice`);
          late.set(task_id, Date.now() - dueAt);
          leftOver.delete(task_id);
          if (leftOver.size === 0) over.abort();
        },
      });
    const claiming = Array.from({ length: runners }, runner);
    const limit = setTimeout(() => over.abort(), inMs + longestMs);
    const gone = await cancelSome(fixtures.api, ids.slice(-canceled), { from: dueAt, signal: over.signal });
    say(`    ${gone.taken.length} requests to cancel are answered, ${late.size} tasks are claimed; ${loadOfMachine()}`);
    for (const id of gone.ids) leftOver.delete(id);
    if (leftOver.size === 0) over.abort();
    await Promise.all(claiming);
    clearTimeout(limit);

    const both = gone.ids.filter((id) => late.has(id));
    if (both.length > 0) throw new Error(`${both.length} tasks were claimed although they had been canceled`);
    const ms = [...late.values()].toSorted((a, b) => a - b);
    const last = ms.at(-1) ?? Number.NaN;
    const seconds = (share: number) => (quantile(ms, share) / 1_000).toFixed(1);
    say(
      `    claims    ${ms.length} in ${seconds(1)} s, ${((ms.length / last) * 1_000).toFixed(0)} per second; ${loadOfMachine()}`,
    );
    say(`    late      p50 ${seconds(0.5)} s, p99 ${seconds(0.99)} s; the first ${ms[0]?.toFixed(0)} ms`);
    const pace = quantile(ms, 0.25) / (last - quantile(ms, 0.75));
    say(
      `    pace      the last quarter took ${(1 / pace).toFixed(2)} × the time of the first, with the cancellations in it`,
    );
    say(
      `    canceled  ${gone.ids.length} of ${canceled} before their start, by ${cancelers} callers; p50 ${quantile(gone.taken, 0.5).toFixed(0)} ms, p99 ${quantile(gone.taken, 0.99).toFixed(0)} ms; ${gone.refused} answers of 503 were repeated`,
    );
  } finally {
    await removeManyDeployments(db, name);
    await stack.part('runner').start();
  }
}

async function schedule(db: Client): Promise<{ dueAt: number; ids: string[] }> {
  const { rows } = await db.query<{ id: string; due: string }>(
    `insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation)
     select now(), due, due, cluster_id, env_id, id, '{"Reinstall": {"reason": "bench"}}'
     from deployments, (select date_trunc('milliseconds', clock_timestamp() + $2 * interval '1 millisecond') as due) at
     where name like $1 || '%'
     returning id, extract(epoch from due_at) * 1000 as due`,
    [name, inMs],
  );
  return { dueAt: Number(rows[0]?.due), ids: rows.map(({ id }) => id) };
}

interface Cancellations {
  /** Cancels tasks that have not started; for started ones, a cancellation only notifies the runner. */
  ids: string[];
  taken: number[];
  /** Requests that an overloaded service refused; they were repeated. */
  refused: number;
}

async function cancelSome(
  { deploymentTasks }: Api,
  ids: readonly string[],
  { from, signal }: { from: number; signal: AbortSignal },
): Promise<Cancellations> {
  await delay(Math.max(0, from - Date.now()));
  const waiting = [...ids];
  const done: Cancellations = { ids: [], taken: [], refused: 0 };
  async function caller(): Promise<void> {
    for (let id = waiting.pop(); id !== undefined && !signal.aborted; id = waiting.pop()) {
      const began = performance.now();
      const answer = await deploymentTasks.cancel({ id });
      done.taken.push(performance.now() - began);
      if (!answer.ok && answer.problem.status >= 503) {
        done.refused += 1;
        waiting.unshift(id);
        await delay(answer.problem.retryAfterMs ?? 1_000);
        continue;
      }
      // A task that has already ended cannot be canceled.
      if (!answer.ok && answer.problem.code === 'conflict') continue;
      if (unwrap(answer).status === 'Canceled') done.ids.push(id);
    }
  }
  await Promise.all(Array.from({ length: cancelers }, caller));
  return done;
}
