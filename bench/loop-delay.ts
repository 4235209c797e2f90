import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import type { HelmChart } from '@berth/shared/contracts/resources/helm-charts';
import type { Fixtures } from './fixtures.ts';
import { type HostileChart, hostileCharts } from './hostile-charts.ts';
import { loadOfMachine } from './load-of-machine.ts';
import { between, type LoopDelays, noDelays, readLoopDelays } from './loop-delays.ts';
import { untilQuiet } from './until-quiet.ts';

const watched = ['tasks', 'api-gateway', 'registry-scan', 'runner'] as const;
const quietMs = 10_000;
const rounds = 5;

type Delays = ReadonlyMap<string, LoopDelays>;

/** How long the services' event loops are blocked while hostile charts and configs go through them, against a quiet time. */
export async function loopDelay(stack: Stack, { api, sample }: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(d) event loops while ${hostileCharts.length} hostile charts are read and deployed; ${loadOfMachine()}`);
  await untilQuiet(say);
  const start = await delaysOf(stack);
  await delay(quietMs);
  const quiet = await delaysOf(stack);
  show('quiet', start, quiet, say);

  const charts: [HostileChart, Listed][] = [];
  for (const chart of hostileCharts) charts.push([chart, await publish(stack, api, chart)]);
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

interface Listed {
  chart: HelmChart;
  kindId: string;
}

async function publish(
  stack: Stack,
  { helmCharts, helmRegistries }: Client,
  { name, files }: HostileChart,
): Promise<Listed> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-hostile-'));
  const signal = AbortSignal.timeout(60_000);
  try {
    const all = { 'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name, version: '1.0.0' }), ...files };
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true });
      await writeFile(join(folder, name, path), content);
    }
    await pushChart({ ...stack, folder: join(folder, name), signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return waitUntil(
    async () => {
      const [registry] = unwrap(await helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      if (!registry) return null;
      const [chart] = unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return chart && { chart, kindId: registry.kind_id };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 60_000 },
  );
}

interface Deploy {
  chart: HostileChart;
  listed: Listed;
  clusterId: string;
  name: string;
}

/** Deploys a chart as far as it gets; returns how that ended, in words. */
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
