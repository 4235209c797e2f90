import { setTimeout as delay } from 'node:timers/promises';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { type HostileChart, hostileCharts } from './hostile-charts.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { between, type LoopDelays, noDelays, readLoopDelays } from './loop-delays.ts';
import { type Listed, publishChart } from '../platform/publish-chart.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const watched = ['tasks', 'api-gateway', 'registry-scan', 'runner'] as const;
const quietMs = 10_000;
const rounds = 5;

type Delays = ReadonlyMap<string, LoopDelays>;

/**
 * How long the event loops of services are blocked while hostile charts and configs are processed, compared with a quiet time.
 */
export async function loopDelay(stack: Stack, { api, sample }: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(d) event loops while ${hostileCharts.length} hostile charts are read and deployed; ${loadOfMachine()}`);
  await untilQuiet(say);
  const start = await delaysOf(stack);
  await delay(quietMs);
  const quiet = await delaysOf(stack);
  show('quiet', start, quiet, say);

  const charts: [HostileChart, Listed][] = [];
  for (const chart of hostileCharts) charts.push([chart, await publishChart(stack, api, chart)]);
  const read = await delaysOf(stack);
  show('while they are read', quiet, read, say);

  const outcomes = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [chart, listed] of charts) {
      const outcome = await deploy(api, { chart, listed, clusterId: sample.cluster.id, name: `hostile-${round}` });
      outcomes.set(chart.name, outcome);
    }
  }
  show('while they are deployed', read, await delaysOf(stack), say);
  for (const [name, outcome] of outcomes) say(`    ${name.padEnd(16)} ${outcome.slice(0, 140)}`);
}

async function delaysOf({ healthPorts }: Stack): Promise<Delays> {
  const read = async (service: (typeof watched)[number]) =>
    [service, await readLoopDelays(healthPorts[service])] as const;
  return new Map(await Promise.all(watched.map(read)));
}

function show(when: string, before: Delays, after: Delays, say: (line: string) => void): void {
  for (const [service, delays] of after) {
    const earlier = before.get(service) ?? noDelays;
    const own = between(earlier.own, delays.own);
    const { largestMs } = between(earlier.delay, delays.delay);
    const largest = `own work ≤ ${String(own.largestMs).padStart(4)} ms (aim ≤ 50)`;
    const above = `${own.slow} of ${own.samples} samples above 50 ms`;
    say(`    ${when.padEnd(24)} ${service.padEnd(14)} ${largest}, ${above}; delay ≤ ${largestMs} ms`);
  }
}

interface Deploy {
  chart: HostileChart;
  listed: Listed;
  clusterId: string;
  name: string;
}

/** Deploys a chart as far as possible; returns the outcome in words. */
async function deploy({ deployments }: Client, { chart, listed, clusterId, name }: Deploy): Promise<string> {
  const created = await deployments.create({
    body: {
      name,
      kind_id: listed.kindId,
      cluster_id: clusterId,
      helm_chart_id: listed.chart.id,
      config: chart.config ?? {},
      values_override: null,
    },
  });
  if (!created.ok) return `refused: ${created.problem.detail}`;
  const { id } = created.value;
  const ended = await waitUntil(
    async () => {
      const deployment = unwrap(await deployments.get({ id }));
      return ['Running', 'Error'].includes(deployment.status) && deployment;
    },
    { what: `the deployment of ${chart.name} to end`, withinMs: 120_000 },
  );
  const deleted = await deployments.delete({ id });
  return deleted.ok ? `${ended.status}: ${ended.reason ?? 'no reason'}` : `refused: ${deleted.problem.detail}`;
}
