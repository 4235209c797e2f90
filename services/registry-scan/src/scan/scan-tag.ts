import { isOutage } from '@berth/contracts/errors';
import { brokenChart } from '../archive/parsed-chart.ts';
import type { FetchedChart } from '../charts/fetch-chart.ts';
import { fetchChart } from '../charts/fetch-chart.ts';
import type { ChartPackage } from '../connection/registry-client.ts';
import type { ScannedRegistry } from './scanned-registry.ts';
import type { ScanDeps } from './scan-deps.ts';

/** Reads what a tag points to now and records it; returns its digest, or null if the tag does not exist. */
export async function scanTag(
  deps: ScanDeps,
  registry: ScannedRegistry,
  { repository, tag }: { repository: string; tag: string },
  signal: AbortSignal,
): Promise<string | null> {
  const { catalogue, tagRepository, log } = deps;
  const { domain, provider } = registry.source;
  const observedAt = await tagRepository.now();
  const manifest = await registry.client.manifest(repository, tag, signal);
  if (manifest === null) {
    await catalogue.removeTags({ domain, repository }, [tag], observedAt);
    return null;
  }

  const { digest, package: found } = manifest;
  const chart = found && (await contentOf(deps, registry, { repository, digest, chart: found }, signal));
  const record = (read: FetchedChart | null) =>
    catalogue.recordTag({ domain, repository, tag }, { digest, provider, chart: read, observedAt });
  await record(chart).catch((error: unknown) => {
    if (chart === null || isOutage(error)) throw error;
    log.warn(
      { err: error, registry: domain, repository, tag, digest },
      'storing a chart failed; its error is stored instead',
    );
    return record(unstorable(chart));
  });
  if (chart) log.info({ registry: domain, repository, tag, digest, chart_error: chart.error }, 'chart found');
  return digest;
}

/** The chart without its content, so that it can at least be listed. */
const unstorable = ({ archiveDigest, archiveUrl }: FetchedChart): FetchedChart => ({
  ...brokenChart('the content of the chart cannot be stored'),
  archiveDigest,
  archiveUrl,
  isFinal: false,
});

interface Manifest {
  repository: string;
  digest: string;
  chart: ChartPackage;
}

/** Tags of the same manifest have the same content, so it is fetched once, even if they are read at the same time. */
async function contentOf(
  { chartRepository, fetching }: ScanDeps,
  { source: { domain }, client, packages, reading }: ScannedRegistry,
  { repository, digest, chart }: Manifest,
  signal: AbortSignal,
): Promise<FetchedChart> {
  const known = await chartRepository.findContent(digest);
  if (known === null) {
    const wanted = { domain, client, packages, repository, chart };
    return reading.run(JSON.stringify([repository, digest, chart.url]), () => fetchChart(fetching, wanted, signal));
  }
  const { archive_digest: archiveDigest, archive_url, ...content } = known;
  return { ...content, archiveDigest, archiveUrl: chart.url ?? archive_url, isFinal: true };
}
