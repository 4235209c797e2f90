import type { Service } from '@berth/service/service';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterProvider } from '../providers/cluster-provider.ts';
import type { ClusterDirectory } from './cluster-directory.ts';
import { discoveryPlan } from './discovery-plan.ts';

export interface DiscoverClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'ofProvider' | 'upsert' | 'recordProbe'>;
  readonly directory: Pick<ClusterDirectory, 'replace'>;
  readonly log: Service['log'];
  readonly ignoreNew: boolean;
}

/**
 * Reads a provider and stores its clusters. It is read each time, so that a moved cluster is found again. If the source or a
 * part of it cannot be read (a file may be half written), its clusters stay as they are; if they are gone, their probes fail.
 */
export function discoverClusters(
  { clusterRepository, directory, log, ignoreNew }: DiscoverClustersDeps,
  { source, prefix, find }: ClusterProvider,
) {
  const trouble = reasonLog(log, source);

  return async (signal: AbortSignal): Promise<void> => {
    const found = await find(signal).catch((error: unknown) => {
      trouble([error instanceof Error ? error.message : `${source} cannot be used`]);
    });
    if (!found) return;
    const { clusters, unread } = found;
    trouble(unread.map(({ reason }) => reason));

    directory.replace(prefix, found);
    const vanished = `it is no longer in ${source}`;
    const plan = async () =>
      discoveryPlan(clusters, await clusterRepository.ofProvider(prefix), { ignoreNew, vanished, unread });
    const { upsert } = await plan();
    for (const cluster of upsert) {
      await clusterRepository.upsert(cluster);
      log.info({ provider_id: cluster.provider_id }, 'cluster discovered');
    }
    // Plans again, since the reason of a refused cluster can be recorded only after its row exists.
    for (const { id, reason } of (await plan()).unusable) {
      await clusterRepository.recordProbe(id, { kind: 'unusable', reason });
    }
  };
}

const mostReasons = 10;

/** Logs a line whenever the reasons change. */
function reasonLog(log: Service['log'], source: string) {
  let known = '';
  return (reasons: readonly string[]): void => {
    const reason = reasons.slice(0, mostReasons).join('; ');
    if (reason !== known && reason !== '')
      log.warn({ reason, source, failures: reasons.length }, 'cluster discovery fails');
    known = reason;
  };
}
