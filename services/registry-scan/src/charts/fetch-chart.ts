import type { ObjectStore } from '@berth/bus/objects/object-store';
import type { Service } from '@berth/service/service';
import type { InTurn } from '@berth/service/waiting/at-most';
import type { ChartParser } from '../archive/chart-parser.ts';
import { archiveLimits } from '@berth/chart-archive/archive-limits';
import { brokenChart, type ParsedChart } from '../archive/parsed-chart.ts';
import { fetchArchive, NoArchive } from '../connection/fetch-archive.ts';
import type { ChartPackage, RegistryClient } from '../connection/registry-client.ts';

/** A parsed chart and the digest of its package. */
export interface FetchedChart extends ParsedChart {
  archiveDigest: string;
  /** Where the package is, if that does not follow from its digest. */
  archiveUrl: string | null;
  /** False if reading it again may give another result. */
  isFinal: boolean;
}

export interface FetchChartDeps {
  /** Serves all registries; each repository gets a limited share of it. */
  parser: ChartParser;
  objects: Pick<ObjectStore, 'put'>;
  log: Pick<Service['log'], 'warn'>;
}

export interface ChartSource {
  /** The domain of the registry. */
  domain: string;
  client: Pick<RegistryClient, 'fetch'>;
  packages: InTurn;
  repository: string;
  chart: ChartPackage;
}

/** Fetches and parses a packaged chart, and stores the package for the runners. A defect of the chart becomes its `error`. */
export async function fetchChart(
  deps: FetchChartDeps,
  source: ChartSource,
  signal: AbortSignal,
): Promise<FetchedChart> {
  const { chart, packages } = source;
  const { digest: archiveDigest, url: archiveUrl } = chart;
  if (chart.size !== null && chart.size > archiveLimits.compressedBytes) {
    const words = `the package is larger than ${archiveLimits.compressedBytes} bytes`;
    return { ...brokenChart(words), archiveDigest, archiveUrl, isFinal: true };
  }
  return packages(() => fetchAndRead(deps, source, signal));
}

async function fetchAndRead(
  { parser, objects, log }: FetchChartDeps,
  { domain, client, repository, chart: { digest: archiveDigest, url: archiveUrl } }: ChartSource,
  signal: AbortSignal,
): Promise<FetchedChart> {
  let archive: Buffer;
  try {
    archive = await fetchArchive(client, { repository, digest: archiveDigest, url: archiveUrl }, signal);
  } catch (error) {
    if (!(error instanceof NoArchive)) throw error;
    return { ...brokenChart(error.message), archiveDigest, archiveUrl, isFinal: false };
  }

  const read = await parser.parse(archive, { owner: `${domain}/${repository}`, signal });
  if (read.error === null) {
    // The object store is a cache: a missing package is fetched again when the chart is deployed.
    await objects.put(archiveDigest, archive).catch((error: unknown) => {
      log.warn({ err: error, digest: archiveDigest }, 'storing a chart archive failed');
    });
  }
  return { ...read, archiveDigest, archiveUrl, isFinal: true };
}
