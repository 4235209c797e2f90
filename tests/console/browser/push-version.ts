import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap, waitUntil } from '@berth/client';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import type { Platform } from '../../setup/platform.ts';

/** Pushes the sample chart as another version of it, and waits until the catalogue contains it. */
export async function pushVersion({ stack, admin }: Platform, version: string): Promise<HelmChart> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-version-'));
  try {
    await cp(sampleChart.folder, folder, { recursive: true });
    const manifest = join(folder, 'Chart.yaml');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/^version: .*$/m, `version: ${version}`));
    await pushChart({ ...stack, folder, signal: AbortSignal.timeout(60_000) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return waitUntil(async () => unwrap(await admin.helmCharts.list({ query: { image_tag: version } })).items[0], {
    what: `version ${version} in the catalogue`,
    withinMs: 60_000,
  });
}
