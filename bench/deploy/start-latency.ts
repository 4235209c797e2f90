import { setTimeout as delay } from 'node:timers/promises';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { Client } from 'pg';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const samples = 30;

/** The time from the insertion of a task's row to the start of its Helm process, on an idle platform. */
export async function startLatency(
  stack: Stack,
  { api, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  say(`\n(c) task accepted → Helm process started, ${samples} times one after the other; ${loadOfMachine()}`);
  const client = new Client({
    connectionString: Object.assign(new URL(stack.databaseAdminUrl), { pathname: '/berth' }).href,
  });
  await client.connect();
  try {
    await untilQuiet(say);
    const taken: number[] = [];
    // Deleted at the end, because an uninstall in between would keep the platform busy.
    const deployed: string[] = [];
    for (let index = 0; index < samples; index += 1) {
      const { id } = await createHello(api, sample, `start-${index}`);
      // Polling right from the start would add load.
      await delay(500);
      await waitForRunning(api, id);
      taken.push(await latencyOf(client, id));
      deployed.push(id);
      await delay(1_000);
    }
    say(
      `    p50 ${quantile(taken, 0.5)} ms (aim ≤ 25), p99 ${quantile(taken, 0.99)} ms, least ${Math.min(...taken)} ms`,
    );
    for (const answer of await Promise.all(deployed.map((id) => api.deployments.delete({ id })))) unwrap(answer);
    const first = await insertFloor(client);
    say(`    ratio to one committed insert (${first.toFixed(2)} ms): ${(quantile(taken, 0.5) / first).toFixed(0)} ×`);
  } finally {
    await client.end();
  }
}

/**
 * Both times are from this machine's clock: the database's for the row, and the runner's for the line that it logs right after
 * the process starts.
 */
export async function latencyOf(client: Client, deploymentId: string): Promise<number> {
  const { rows } = await client.query<{ ms: string }>(
    `select extract(epoch from min(line.at) - task.created_at) * 1000 as ms
     from tasks.deployment_tasks task join tasks.deployment_task_log line on line.task_id = task.id
     where task.deployment_id = $1 and line.text like 'helm upgrade %'
     group by task.id, task.created_at order by task.created_at limit 1`,
    [deploymentId],
  );
  if (!rows[0]) throw new Error(`no Helm start in the log of deployment ${deploymentId}`);
  return Math.round(Number(rows[0].ms));
}

async function insertFloor(client: Client): Promise<number> {
  await client.query('create temporary table floor (at timestamptz)');
  const taken: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const started = performance.now();
    await client.query('insert into floor values (now())');
    taken.push(performance.now() - started);
  }
  return quantile(taken, 0.5);
}
