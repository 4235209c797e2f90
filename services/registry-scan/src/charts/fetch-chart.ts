import type { ObjectStore } from '@berth/bus/objects/object-store';
import type { Service } from '@berth/service/service';
import type { InTurn } from '@berth/service/waiting/at-most';
import type { ChartParser } from '../archive/chart-parser.ts';
import { archiveLimits } from '@berth/chart-archive/archive-limits';
import { brokenChart, type ParsedChart } from '../archive/parsed-chart.ts';
import { fetchArchive, NoArchive } from '../oci/client/fetch-archive.ts';
import type { ChartLayer } from '../oci/replies/manifest.ts';
import type { RegistryClient } from '../oci/client/registry-client.ts';

/** A parsed chart and the digest of its package. */
export interface FetchedChart extends ParsedChart {
  archiveDigest: string;
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
  client: Pick<RegistryClient, 'blob'>;
  packages: InTurn;
  repository: string;
  layer: ChartLayer;
}

/** Fetches and parses a packaged chart, and stores the package for the runners. A defect of the chart becomes its `error`. */
export async function fetchChart(
  deps: FetchChartDeps,
  source: ChartSource,
  signal: AbortSignal,
): Promise<FetchedChart> {
  const { layer, packages } = source;
  const archiveDigest = layer.digest;
  if (layer.size > archiveLimits.compressedBytes) {
    const words = `the package is larger than ${archiveLimits.compressedBytes} bytes`;
    return { ...brokenChart(words), archiveDigest, isFinal: true };
  }
  return packages(() => fetchAndRead(deps, source, signal));
}

async function fetchAndRead(
  { parser, objects, log }: FetchChartDeps,
  { domain, client, repository, layer: { digest: archiveDigest } }: ChartSource,
  signal: AbortSignal,
): Promise<FetchedChart> {
  let archive: Buffer;
  try {
    archive = await fetchArchive(client, { repository, digest: archiveDigest }, signal);
  } catch (error) {
    if (!(error instanceof NoArchive)) throw error;
    return { ...brokenChart(error.message), archiveDigest, isFinal: false };
  }

  const chart = await parser.parse(archive, { owner: `${domain}/${repository}`, signal });
  if (chart.error === null) {
    // The object store is a cache: a missing package is fetched again when the chart is deployed.
    await objects.put(archiveDigest, archive).catch((error: unknown) => {
      log.warn({ err: error, digest: archiveDigest }, 'storing a chart archive failed');
    });
  }
  return { ...chart, archiveDigest, isFinal: true };
}
