import { setTimeout as delay } from 'node:timers/promises';
import { unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Client } from 'pg';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { cpuSecondsOf, memoryOf } from '../machine/process-usage.ts';
import { publishChart } from '../platform/publish-chart.ts';
import { insertManyDeployments, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';
import { type PolledServer, polledHost } from './polled-server.ts';

const deployments = 10_000;
const intervalSecs = 120;
const observedSecs = 120;
const bareRequests = 1_000;
const name = 'polled-';
const parts = ['tasks', 'runner'] as const;

/** Ten thousand polled deployments: their cost for service and runner, and how polls are spread after a restart. */
export const statusPolls =
  (server: PolledServer) =>
  async (stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> => {
    say(`\n(j) ${deployments} deployments polled every ${intervalSecs} s; ${loadOfMachine()}`);
    await using db = await databaseOf(stack);
    const target = { ...targetOf(fixtures), ...(await polledChart(stack, fixtures, db)) };
    const alone = await usage(stack, 20);
    try {
      await insertManyDeployments(db, target, { name, count: deployments, tasksOfEach: 1 });
      await db.query(
        'update deployments set installed_namespace = $2, polls_followed = false where name like $1 || $3',
        [name, polledHost.namespace, '%'],
      );
      const polled = async () => (await db.query('select from status_polls')).rowCount === deployments;
      await waitUntil(polled, { what: 'the polls of all deployments', withinMs: 120_000 });
      say('    the first round, which spreads the polls');
      await delay(intervalSecs * 1_000);
      await observe(stack, server, { alone, what: 'every day', say });
      for (const part of parts) await stack.part(part).kill();
      for (const part of parts) await stack.part(part).start();
      await observe(stack, server, { alone, what: 'after service and runner were killed', say });
      say(
        `    CPU of a bare request with a connection of its own: ${(await bareCpuMs(server)).toFixed(1)} ms, client and server`,
      );
    } finally {
      await removeManyDeployments(db, name);
    }
  };

/** A chart with a status endpoint; the service knows it and the domain of the cluster. */
async function polledChart(
  stack: Stack,
  { api, sample }: Fixtures,
  db: Client,
): Promise<{ kindId: string; chartId: string }> {
  const features = {
    apiVersion: 'berth.dev/v1beta2',
    kind: 'Features',
    spec: {
      ingress: { enabled: true },
      status: { endpoint: 'standard_ingress', path: '/status', refresh_interval_secs: intervalSecs },
    },
  };
  const files = { 'values.yaml': '{}', 'berth/features.yaml': JSON.stringify(features) };
  const { chart, kindId } = await publishChart(stack, api, { name: 'polled', files });
  if (chart.error !== null) throw new Error(`the chart has an error: ${chart.error}`);
  unwrap(await api.k8sClusters.update({ id: sample.cluster.id, body: { ingress_domain: polledHost.domain } }));
  const known = async () => {
    const { rowCount } = await db.query(
      `select from helm_chart_projection c, k8s_cluster_projection k where c.id = $1 and k.id = $2 and k.ingress_domain = $3`,
      [chart.id, sample.cluster.id, polledHost.domain],
    );
    return rowCount === 1;
  };
  await waitUntil(known, { what: 'the chart and the domain at tasks', withinMs: 60_000 });
  return { kindId, chartId: chart.id };
}

interface Usage {
  /** Share of a core. */
  cores: number;
  now: number;
  peak: number;
}

async function usage(stack: Stack, seconds: number): Promise<Record<(typeof parts)[number], Usage>> {
  const pids = parts.map((part) => stack.part(part).pid);
  const before = await Promise.all(pids.map(cpuSecondsOf));
  await delay(seconds * 1_000);
  const after = await Promise.all(pids.map(cpuSecondsOf));
  const memory = await Promise.all(pids.map(memoryOf));
  const of = (index: number): Usage => ({
    cores: ((after[index] ?? 0) - (before[index] ?? 0)) / seconds,
    ...(memory[index] ?? { now: Number.NaN, peak: Number.NaN }),
  });
  return { tasks: of(0), runner: of(1) };
}

interface Observing {
  /** Without polls. */
  alone: Awaited<ReturnType<typeof usage>>;
  what: string;
  say: (line: string) => void;
}

async function observe(stack: Stack, server: PolledServer, { alone, what, say }: Observing): Promise<void> {
  const from = performance.now();
  server.polledAt.length = 0;
  const used = await usage(stack, observedSecs);
  const times = server.polledAt.filter((at) => at < from + observedSecs * 1_000);
  const seconds = Array.from({ length: observedSecs }, () => 0);
  for (const at of times) {
    const second = Math.min(observedSecs - 1, Math.floor((at - from) / 1_000));
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  const mean = times.length / observedSecs;
  const busiest = Math.max(...seconds);
  const due = deployments / intervalSecs;
  say(`    ${what}; ${loadOfMachine()}`);
  say(
    `      ${mean.toFixed(1)} polls per second, ${(mean / due).toFixed(2)} × of what is due; busiest second ${busiest}, ${(busiest / mean).toFixed(1)} × the mean`,
  );
  say(`      late ${await lateness(stack)}`);
  for (const part of parts) {
    const { cores, now, peak } = used[part];
    const perPoll = ((cores - alone[part].cores) / mean) * 1_000;
    say(
      `      ${part.padEnd(6)} ${now.toFixed(0)} MiB (at most ${peak.toFixed(0)}, ${alone[part].now.toFixed(0)} without polls), ${(cores * 100).toFixed(0)} % of a core (${(alone[part].cores * 100).toFixed(0)} without), ${perPoll.toFixed(1)} ms of CPU for a poll`,
    );
  }
}

/** How late the service gave polls to runners since its start, by the buckets of its histogram. */
async function lateness({ healthPorts }: Stack): Promise<string> {
  const page = await (await fetch(`http://127.0.0.1:${healthPorts.tasks}/metrics`)).text();
  const found = page.matchAll(/^berth_tasks_status_poll_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm);
  const buckets = Array.from(found, ([, upTo, count]) => ({ upTo, count: Number(count) }));
  const all = buckets.at(-1)?.count ?? 0;
  const within = (share: number) => buckets.find(({ count }) => count >= all * share)?.upTo;
  return `p50 ≤ ${within(0.5)} s, p99 ≤ ${within(0.99)} s`;
}

async function bareCpuMs({ request }: PolledServer): Promise<number> {
  for (let index = 0; index < 50; index += 1) await request();
  const before = process.cpuUsage();
  for (let index = 0; index < bareRequests; index += 1) await request();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / bareRequests;
}
