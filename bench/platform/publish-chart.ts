import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';

export interface ChartOfBench {
  name: string;
  /** Beside `Chart.yaml`. */
  files: Record<string, string>;
}

export interface Listed {
  chart: HelmChart;
  kindId: string;
}

export async function writeChart(folder: string, { name, files }: ChartOfBench): Promise<void> {
  const all = { 'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name, version: '1.0.0' }), ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Pushes a chart and waits until the catalogue contains it. */
export async function publishChart(
  stack: Stack,
  { helmCharts, helmRegistries }: Client,
  chart: ChartOfBench,
): Promise<Listed> {
  const { name } = chart;
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-chart-'));
  try {
    await writeChart(join(folder, name), chart);
    await pushChart({ ...stack, folder: join(folder, name), signal: AbortSignal.timeout(60_000) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return waitUntil(
    async () => {
      const [registry] = unwrap(await helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      if (!registry) return null;
      const [listed] = unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return listed && { chart: listed, kindId: registry.kind_id };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 60_000 },
  );
}
