import { unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { memoryOf } from '../machine/process-usage.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { databaseOf } from '../platform/database-of.ts';
import { publishChart } from '../platform/publish-chart.ts';
import { scaled } from '../platform/scaled.ts';
import { install, tiny } from './deploy-many.ts';
import { latencyOf } from './start-latency.ts';

const stages = [0, 40, 200].map((count) => (count > 0 ? scaled(count) : 0));
const samples = 10;
const atATime = 8;

/** No volume fits its claim, so it never becomes ready. */
const never = {
  name: 'never',
  files: {
    'values.yaml': '{}\n',
    'berth/features.yaml':
      'apiVersion: berth.dev/v1beta2\nkind: Features\nspec: { cardinality: Many, wait: { enabled: true, timeout_secs: 3600 } }\n',
    'templates/claim.yaml':
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data }\nspec: { storageClassName: absent, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }\n',
  },
};

/** Deploys of others, one after the other, beside more and more deployments that never become ready, on one runner with four slots. */
export async function besideWaiting(
  stack: Stack,
  { api, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  say(`\n(w) ${samples} deploys beside ${stages.join(', ')} that never become ready; ${loadOfMachine()}`);
  const clusterId = sample.cluster.id;
  const other = { clusterId, ...(await publishChart(stack, api, { ...tiny, name: 'other' })) };
  const { kindId, chart } = await publishChart(stack, api, never);
  await using database = await databaseOf(stack);
  await install(api, other, ['other-first']);

  const medians: number[] = [];
  let waiting = 0;
  for (const count of stages) {
    for (; waiting < count; waiting += atATime) {
      const names = Array.from(
        { length: Math.min(atATime, count - waiting) },
        (_, index) => `never-${waiting + index}`,
      );
      const target = { kind_id: kindId, cluster_id: clusterId, helm_chart_id: chart.id, config: {} };
      const created = names.map((name) => api.deployments.create({ body: { name, ...target, values_override: null } }));
      for (const answer of await Promise.all(created)) unwrap(answer);
    }
    await waitUntil(
      async () => {
        const { rows } = await database.query('select from deployment_tasks where awaits_readiness');
        return rows.length >= count;
      },
      { what: `${count} tasks to wait`, withinMs: 900_000, everyMs: 1_000, longestPauseMs: 1_000 },
    );
    await untilQuiet(say);
    const starts: number[] = [];
    const seconds: number[] = [];
    for (let index = 0; index < samples; index += 1) {
      const { ids, seconds: taken } = await install(api, other, [`beside-${count}-${index}`]);
      for (const id of ids) starts.push(await latencyOf(database, id));
      seconds.push(taken);
    }
    medians.push(quantile(seconds, 0.5));
    const { now } = await memoryOf(stack.part('runner').pid ?? 0);
    const ratio = (quantile(seconds, 0.5) / (medians[0] ?? 1)).toFixed(2);
    say(
      `    ${String(count).padStart(3)} waiting: Helm started after p50 ${quantile(starts, 0.5)} ms, at most ${Math.max(...starts)} (aim ≤ 2,000); ` +
        `done after p50 ${quantile(seconds, 0.5).toFixed(2)} s, at most ${Math.max(...seconds).toFixed(2)}; ` +
        `${ratio} × of none waiting (aim ≤ 1.5); runner ${now.toFixed(0)} MiB; ${loadOfMachine()}`,
    );
  }
}
