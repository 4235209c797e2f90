import type { Stack } from '@berth/devstack';
import type { Client } from 'pg';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { benchRunner, runnerBus } from '../platform/bench-runners.ts';
import { scaled } from '../platform/scaled.ts';
import { insertManyDeployments, makeDue, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';

const due = scaled(20_000);
const runners = 4;
const slots = 8;
const rounds = 5;
const claimsPerRound = 200;
const name = 'claimed-';

/** Four runners claim from 20,000 due tasks, in turns with four loops that run the bare statements on a separate table. */
export async function claimThroughput(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(g) claims by ${runners} runners from ${due} due tasks, each ended at once; ${loadOfMachine()}`);
  await stack.part('runner').stop();
  await using db = await databaseOf(stack);
  await using bus = await runnerBus(stack);
  try {
    await insertManyDeployments(db, targetOf(fixtures), { name, count: due, tasksOfEach: 1 });
    await makeDue(db, name);
    await createBareQueue(db);
    await untilQuiet(say);
    const taken: { berth: number[]; bare: number[] } = { berth: [], bare: [] };
    const latency: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      taken.berth.push(await timeOf(() => claimSome(bus, latency)));
      taken.bare.push(await timeOf(() => claimBarely(stack)));
    }
    const perSecond = (ms: readonly number[]) => claimsPerRound / (quantile(ms, 0.5) / 1_000);
    const [berth, bare] = [perSecond(taken.berth), perSecond(taken.bare)];
    say(
      `    berth  ${berth.toFixed(0)} tasks/s claimed, begun and ended; a claim p50 ${quantile(latency, 0.5).toFixed(1)} ms`,
    );
    say(`    bare   ${bare.toFixed(0)} tasks/s: for update skip locked, then two updates, each a transaction`);
    say(`    ratio  ${(berth / bare).toFixed(3)} × its tasks; ${loadOfMachine()}`);
  } finally {
    await db.query('drop table if exists bare_queue');
    await removeManyDeployments(db, name);
    await stack.part('runner').start();
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function claimSome(bus: Awaited<ReturnType<typeof runnerBus>>, latency: number[]): Promise<void> {
  const enough = new AbortController();
  let claimed = 0;
  const runner = () =>
    benchRunner({
      bus,
      slots,
      signal: enough.signal,
      claimed: (_, tookMs) => {
        latency.push(tookMs);
        claimed += 1;
        if (claimed >= claimsPerRound) enough.abort();
      },
    });
  await Promise.all(Array.from({ length: runners }, runner));
}

/** The lowest cost of a queue in Postgres: a separate table with the bare statements. */
async function createBareQueue(db: Client): Promise<void> {
  await db.query('create table bare_queue (id bigint primary key, due_at timestamptz, status text, operation jsonb)');
  await db.query(
    `insert into bare_queue select i, now(), 'Pending', '{"Reinstall": {"reason": "bench"}}' from generate_series(1, $1::int) i`,
    [due],
  );
  await db.query("create index on bare_queue (due_at, id) where status = 'Pending'");
  await db.query('vacuum analyze bare_queue');
}

async function claimBarely(stack: Stack): Promise<void> {
  let claimed = 0;
  async function loop(): Promise<void> {
    await using db = await databaseOf(stack);
    for (; claimed < claimsPerRound; claimed += 1) {
      const { rows } = await db.query<{ id: string }>(
        `update bare_queue set status = 'Started' where id = (
           select id from bare_queue where status = 'Pending' and due_at <= now()
           order by due_at, id limit 1 for update skip locked
         ) returning id`,
      );
      for (const status of ['Begun', 'Failed'])
        await db.query('update bare_queue set status = $1 where id = $2', [status, rows[0]?.id]);
    }
  }
  await Promise.all(Array.from({ length: runners }, loop));
}
