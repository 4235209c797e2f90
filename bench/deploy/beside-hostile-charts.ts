import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { peakMemory, treeOf } from '../machine/process-usage.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { type Listed, publishChart } from '../platform/publish-chart.ts';
import { install, tiny } from './deploy-many.ts';

const share = Number(process.env['BENCH_SHARE'] ?? 1);
const releases = Math.max(5, Math.round(50 * share));
/** The attacks go on for at least five minutes, and others deploy meanwhile, again and again. */
const attackedMs = 300_000 * share;
/** Each chart always has one upgrade and one plan that are queued or running. */
const attacks = {
  memory: { text: '# {{ repeat 3000000000 "x" | len }}' },
  processor: { text: '{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}' },
  notes: { notes: '{{ repeat 5000000 "a\\n" }}' },
  objects: { text: '{{ range until 500000 }}\n# {{ repeat 50 "x" }}\n{{ end }}' },
};

const hostile = {
  name: 'hostile',
  files: {
    'values.yaml': 'text: ""\nnotes: ""\n',
    'templates/any.yaml': '{{ tpl .Values.text . }}\n',
    'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: probe }\n',
    'templates/NOTES.txt': '{{ tpl .Values.notes . }}\n',
  },
};

/** Releases of others, first alone and then while hostile charts are deployed and planned by the same runner. */
export async function besideHostileCharts(
  stack: Stack,
  { api, sample }: Fixtures,
  say: (line: string) => void,
): Promise<void> {
  say(`\n(h) ${releases} releases alone, and beside hostile charts; ${loadOfMachine()}`);
  const victim = { clusterId: sample.cluster.id, ...(await publishChart(stack, api, { ...tiny, name: 'victim' })) };
  const attacker = { clusterId: sample.cluster.id, ...(await publishChart(stack, api, hostile)) };
  await install(api, victim, ['victim-first']);
  await untilQuiet(say);

  const alone = await measure(stack, api, victim, 'alone');
  const over = new AbortController();
  const attacking = Object.entries(attacks).map(([name, values]) =>
    attack(api, attacker, { name, values }, over.signal),
  );
  const beside = await measureFor(attackedMs, (round) => measure(stack, api, victim, `beside-${round}`)).finally(() =>
    over.abort(),
  );
  const attempts = (await Promise.all(attacking)).reduce((sum, { tasks, plans }) => sum + tasks + plans, 0);

  for (const [name, { seconds, attempts: tries, peak }] of Object.entries({ alone, beside })) {
    say(
      `    ${name.padEnd(8)} p50 ${quantile(seconds, 0.5).toFixed(1)} s, p99 ${quantile(seconds, 0.99).toFixed(1)} s; ` +
        `${tries} attempts for ${seconds.length} releases; runner and its processes at most ${peak.toFixed(0)} MiB`,
    );
  }
  const ratio = quantile(beside.seconds, 0.99) / quantile(alone.seconds, 0.99);
  say(
    `    ${attempts} hostile tasks and plans; p99 ${ratio.toFixed(2)} × (aim ≤ 2), 1,536 MiB is the limit of the chart`,
  );
}

/** All releases at once, again and again until the time is over. */
async function measureFor(leastMs: number, round: (index: number) => ReturnType<typeof measure>) {
  const until = performance.now() + leastMs;
  const rounds = [await round(0)];
  while (performance.now() < until) rounds.push(await round(rounds.length));
  return {
    seconds: rounds.flatMap(({ seconds }) => seconds),
    peak: Math.max(...rounds.map(({ peak }) => peak)),
    attempts: rounds.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}

async function measure(stack: Stack, api: Client, target: Listed & { clusterId: string }, name: string) {
  const names = Array.from({ length: releases }, (_, index) => `${name}-${index}`);
  const { result, peak } = await peakMemory(
    () => treeOf(stack.part('runner').pid),
    () => install(api, target, names),
  );
  const tasks = await Promise.all(
    [...result.ids].map(async (id) => {
      const [task] = unwrap(await api.deploymentTasks.list({ query: { deployment_id: id } })).items;
      return task;
    }),
  );
  const known = tasks.filter((task) => task !== undefined);
  const seconds = known.map(
    ({ first_attempted_at: began, finished_at: end }) => (Date.parse(end ?? '') - Date.parse(began ?? '')) / 1_000,
  );
  return { seconds, peak, attempts: known.reduce((sum, { attempts: tried }) => sum + tried, 0) };
}

interface Attack {
  name: string;
  values: Record<string, string>;
}

/** Keeps deploying the chart, each time with a changed value, and keeps planning it at the same time. */
async function attack(
  { deployments, deploymentPlans }: Client,
  { clusterId, kindId, chart }: Listed & { clusterId: string },
  { name, values }: Attack,
  signal: AbortSignal,
) {
  const target = { kind_id: kindId, cluster_id: clusterId, helm_chart_id: chart.id, config: {} };
  const { id } = unwrap(await deployments.create({ body: { name, ...target, values_override: null } }));
  let plans = 0;
  const planning = (async () => {
    for (; !signal.aborted; plans += 1) {
      await deploymentPlans.of_update({ id, body: { values_override: values } }).catch(() => undefined);
    }
  })();
  let tasks = 0;
  for (; !signal.aborted; tasks += 1) {
    const body = { values_override: { ...values, change: tasks } };
    await deployments.update({ id, body }).catch(() => undefined);
    await waitUntil(async () => signal.aborted || unwrap(await deployments.get({ id })).status !== 'Upgrading', {
      what: 'the hostile task to end',
      withinMs: 600_000,
      everyMs: 500,
      longestPauseMs: 500,
    });
  }
  await planning;
  unwrap(await deployments.update({ id, body: { values_override: null } }));
  return { tasks, plans };
}
