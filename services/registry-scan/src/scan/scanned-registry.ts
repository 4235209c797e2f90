import { atMost, type InTurn } from '@berth/service/waiting/at-most';
import { singleFlights } from '@berth/service/waiting/single-flight';
import type { FetchedChart } from '../charts/fetch-chart.ts';
import type { RegistryClient } from '../connection/registry-client.ts';
import type { RegistrySource } from '../connection/registry-source.ts';

/** How far the current round is, or how far the last one came. */
export interface RoundProgress {
  repositories: number;
  done: number;
  tagsRead: number;
}

/** A configured or created registry, with what its scans share. */
export interface ScannedRegistry {
  /** The key of its polls. */
  key: string;
  /** A site admin created it, with a single repository. Others of its domain have clients of their own. */
  isCreated: boolean;
  source: RegistrySource;
  client: RegistryClient;
  /** Limits how many of its packages are in memory at a time. */
  packages: InTurn;
  /** The packages that are being read. */
  reading: ReturnType<typeof singleFlights<FetchedChart>>;
  progress: RoundProgress;
}

/** Per registry, so that a slow one does not delay the others. */
const packagesAtOnce = 2;

export const scannedRegistry = (
  source: RegistrySource,
  client: RegistryClient,
  { key = source.domain, isCreated = false } = {},
): ScannedRegistry => ({
  key,
  isCreated,
  source,
  client,
  packages: atMost(packagesAtOnce),
  reading: singleFlights(),
  progress: { repositories: 0, done: 0, tagsRead: 0 },
});
