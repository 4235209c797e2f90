import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@berth/devstack';
import { ApiProblem, type ApiClient } from '@berth/devstack/journey/api-client';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { Chart, Deployment, Registry, type Row } from '@berth/devstack/journey/rows';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { z } from 'zod';
import type { Fixtures } from './fixtures.ts';
import { type HostileChart, hostileCharts } from './hostile-charts.ts';
import { loadOfMachine } from './load-of-machine.ts';
import { between, type LoopDelays, noDelays, readLoopDelays } from './loop-delays.ts';
import { untilQuiet } from './until-quiet.ts';

const watched = ['tasks', 'api-gateway', 'registry-scan', 'runner'] as const;
const quietMs = 10_000;
const rounds = 5;

type Delays = ReadonlyMap<string, LoopDelays>;

/** How long the services' event loops are held up while hostile charts and configs go through them, against a quiet time. */
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
  chart: Row<typeof Chart>;
  kindId: string;
}

async function publish(stack: Stack, api: ApiClient, { name, files }: HostileChart): Promise<Listed> {
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
  return waitFor(
    `the chart ${name} in the catalogue`,
    async () => {
      const [registry] = await api.list(`/helm-registries?repo_name=charts%2F${name}`, Registry);
      const [chart] = registry ? await api.list(`/helm-charts?helm_registry_id=${registry.id}`, Chart) : [];
      return registry && chart && { chart, kindId: registry.kind_id };
    },
    { withinMs: 60_000, signal },
  );
}

interface Deploy {
  chart: HostileChart;
  listed: Listed;
  clusterId: string;
  name: string;
}

/** Created, changed and run as far as it gets; how that ended, in words. */
async function deploy(api: ApiClient, { chart, listed, clusterId, name }: Deploy): Promise<string> {
  try {
    const { id } = await api.send(
      'POST',
      '/deployments',
      {
        name,
        kind_id: listed.kindId,
        cluster_id: clusterId,
        helm_chart_id: listed.chart.id,
        config: chart.config ?? {},
        values_override: null,
      },
      Deployment,
    );
    const over = await waitFor(
      `the deployment of ${chart.name} to end`,
      async () => {
        const now = await api.get(`/deployments/${id}`, Deployment);
        return ['Running', 'Error'].includes(now.status) && now;
      },
      { withinMs: 120_000, signal: AbortSignal.timeout(130_000) },
    );
    await api.send('DELETE', `/deployments/${id}`, undefined, z.null());
    return `${over.status}: ${over.reason ?? 'no reason'}`;
  } catch (error) {
    if (error instanceof ApiProblem) return `refused: ${error.message}`;
    throw error;
  }
}
