import { isOutage } from '@berth/shared/errors';
import { brokenChart } from '../archive/parsed-chart.ts';
import type { ReadChart } from '../charts/fetch-chart.ts';
import { fetchChart } from '../charts/fetch-chart.ts';
import type { ChartLayer } from '../oci/replies/manifest.ts';
import type { ScanDeps, WatchedRegistry } from './scan-deps.ts';

/** Reads what a tag points to right now and writes it down; answers its digest, or null where there is no such tag. */
export async function lookAtTag(
  deps: ScanDeps,
  registry: WatchedRegistry,
  { repository, tag }: { repository: string; tag: string },
  signal: AbortSignal,
): Promise<string | null> {
  const { catalogue, tagRepository, log } = deps;
  const { domain } = registry.source;
  const observedAt = await tagRepository.now();
  const manifest = await registry.client.manifest(repository, tag, signal);
  if (manifest === null) {
    await catalogue.tagsGone({ domain, repository }, [tag], observedAt);
    return null;
  }

  const { digest, layer } = manifest;
  const chart = layer && (await contentOf(deps, registry, { repository, digest, layer }, signal));
  const found = (read: ReadChart | null) =>
    catalogue.found({ domain, repository, tag }, { digest, chart: read, observedAt });
  await found(chart).catch((error: unknown) => {
    if (chart === null || isOutage(error)) throw error;
    log.warn({ err: error, registry: domain, repository, tag, digest }, 'what a chart says could not be stored');
    return found(unstorable(chart));
  });
  if (chart) log.info({ registry: domain, repository, tag, digest, chart_error: chart.error }, 'chart found');
  return digest;
}

/** Nothing of what the chart says is kept, so that it can at least be listed. */
const unstorable = ({ archiveDigest }: ReadChart): ReadChart => ({
  ...brokenChart('what the chart says about itself cannot be stored'),
  archiveDigest,
  settled: false,
});

interface Manifest {
  repository: string;
  digest: string;
  layer: ChartLayer;
}

/** One manifest is one content, whatever its tags: it is read once. */
async function contentOf(
  { chartRepository, reading }: ScanDeps,
  { client, packages }: WatchedRegistry,
  { repository, digest, layer }: Manifest,
  signal: AbortSignal,
): Promise<ReadChart> {
  const known = await chartRepository.findContent(digest);
  if (known === null) return fetchChart(reading, { client, packages, repository, layer }, signal);
  const { archive_digest: archiveDigest, ...content } = known;
  return { ...content, archiveDigest, settled: true };
}
