import type { ObjectStore } from '@berth/shared/bus/objects/object-store';
import type { Service } from '@berth/shared/service/service';
import type { LimitFunction } from 'p-limit';
import type { ChartParser } from '../archive/chart-parser.ts';
import { archiveLimits } from '../archive/limits.ts';
import { brokenChart, type ParsedChart } from '../archive/parsed-chart.ts';
import { fetchArchive, NoArchive } from '../oci/client/fetch-archive.ts';
import type { ChartLayer } from '../oci/replies/manifest.ts';
import type { RegistryClient } from '../oci/client/registry-client.ts';

/** A chart as it was read, and from which package. */
export interface ReadChart extends ParsedChart {
  archiveDigest: string;
  /** False where another look may find more. */
  settled: boolean;
}

export interface FetchChartDeps {
  /** Shared by all registries: it parses one package at a time. */
  parser: ChartParser;
  objects: Pick<ObjectStore, 'put'>;
  log: Pick<Service['log'], 'warn'>;
}

export interface ChartPlace {
  client: Pick<RegistryClient, 'blob'>;
  packages: LimitFunction;
  repository: string;
  layer: ChartLayer;
}

/** Reads a packaged chart in its registry and keeps the package for the runners; what is wrong with it becomes its `error`. */
export async function fetchChart(deps: FetchChartDeps, place: ChartPlace, signal: AbortSignal): Promise<ReadChart> {
  const { layer, packages } = place;
  const archiveDigest = layer.digest;
  if (layer.size > archiveLimits.compressedBytes) {
    const words = `the package is larger than ${archiveLimits.compressedBytes} bytes`;
    return { ...brokenChart(words), archiveDigest, settled: true };
  }
  return packages(() => fetchAndRead(deps, place, signal));
}

async function fetchAndRead(
  { parser, objects, log }: FetchChartDeps,
  { client, repository, layer: { digest: archiveDigest } }: ChartPlace,
  signal: AbortSignal,
): Promise<ReadChart> {
  let archive: Buffer;
  try {
    archive = await fetchArchive(client, { repository, digest: archiveDigest }, signal);
  } catch (error) {
    if (!(error instanceof NoArchive)) throw error;
    return { ...brokenChart(error.message), archiveDigest, settled: false };
  }

  const { chart, settled } = await parser.parse(archive);
  if (chart.error === null) {
    // The object store is a cache: without it the chart is fetched once more when somebody deploys it.
    await objects.put(archiveDigest, archive).catch((error: unknown) => {
      log.warn({ err: error, digest: archiveDigest }, 'a chart archive could not be kept');
    });
  }
  return { ...chart, archiveDigest, settled };
}
