import { unwrap, waitUntil } from '@berth/client';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import { chartFolder } from '../../setup/charts/unusual-charts.ts';
import type { Platform } from '../../setup/platform.ts';

/** Pushes a chart with these files and a `Chart.yaml`, and waits until the catalogue contains it. */
export async function publishChart(
  { stack, admin }: Platform,
  manifest: { name: string; [field: string]: unknown },
  files: Record<string, object>,
): Promise<{ chart: HelmChart; kindId: string }> {
  const { name } = manifest;
  const all = { 'Chart.yaml': { apiVersion: 'v2', version: '1.0.0', ...manifest }, ...files };
  // JSON is YAML.
  const texts = Object.entries(all).map(([path, content]) => [path, JSON.stringify(content)] as const);
  await using folder = await chartFolder(name, Object.fromEntries(texts));
  await pushChart({ ...stack, folder: folder.folder, signal: AbortSignal.timeout(60_000) });
  return waitUntil(
    async () => {
      const [registry] = unwrap(await admin.helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      if (!registry) return null;
      const [chart] = unwrap(await admin.helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return chart && { chart, kindId: registry.kind_id };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 60_000 },
  );
}
