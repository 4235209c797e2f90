import type { ObjectStore } from '@berth/bus/objects/object-store';
import { AppError, named } from '@berth/contracts/errors';
import { singleFlights } from '@berth/service/waiting/single-flight';
import { EgressRefused } from '@berth/egress/egress-errors';
import { fetchArchive, NoArchive } from '../connection/fetch-archive.ts';
import type { RegistryClient } from '../connection/registry-client.ts';
import { RegistryError } from '../connection/registry-error.ts';
import type { ArchiveSource, ChartRepository } from './chart-repository.ts';

export interface EnsureArchiveDeps {
  chartRepository: Pick<ChartRepository, 'findSource'>;
  objects: Pick<ObjectStore, 'get' | 'put'>;
  /** Returns undefined if the registry is no longer configured. */
  clientOf: (domain: string, repository: string) => Pick<RegistryClient, 'fetch'> | undefined;
  /** For one package, with all its retries. */
  deadlineMs?: number;
}

/** Fetches the package of a chart into the object store if it is missing, and returns its digest. */
export function ensureArchive({ chartRepository, objects, clientOf, deadlineMs = 60_000 }: EnsureArchiveDeps) {
  /** After the store was lost, many tasks of one chart may start at once; they share one fetch. */
  const fetches = singleFlights<void>();

  async function fetchInto(chart: ArchiveSource): Promise<void> {
    const { domain_name: domain, repo_name: repository, archive_digest: digest, archive_url: url } = chart;
    const client = clientOf(domain, repository);
    if (!client) throw new AppError('unprocessable', `The registry ${domain} is no longer scanned`);
    const signal = AbortSignal.timeout(deadlineMs);
    const archive = await fetchArchive(client, { repository, digest, url }, signal).catch((error: unknown) =>
      explain(error, signal),
    );
    await objects.put(digest, archive);
  }

  return async (chartId: string): Promise<string> => {
    const chart = named(await chartRepository.findSource(chartId), 'body.helm_chart_id', 'chart');
    const { archive_digest: digest } = chart;
    if (await objects.get(digest)) return digest;

    await fetches.run(digest, () => fetchInto(chart));
    return digest;
  };
}

/** `unavailable` if a retry may succeed, else `unprocessable`. */
function explain(error: unknown, deadline: AbortSignal): never {
  if (error instanceof NoArchive) throw new AppError('unprocessable', `The chart cannot be fetched: ${error.message}`);
  if (error instanceof RegistryError || error instanceof EgressRefused) {
    const code = error instanceof RegistryError && error.reason === 'unavailable' ? 'unavailable' : 'unprocessable';
    throw new AppError(code, `The chart cannot be fetched: ${error.message}`, { cause: error });
  }
  if (deadline.aborted) {
    throw new AppError('unavailable', 'The chart cannot be fetched: its registry takes too long', { cause: error });
  }
  throw error;
}
