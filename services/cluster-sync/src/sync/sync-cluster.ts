import type { Lease } from '@berth/db/leases/lease';
import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import { removeUnusedAccounts, type RemoveUnusedAccountsDeps } from '../access/remove-unused-accounts.ts';
import { type KeepCredentialsDeps, keepCredentials } from '../credentials/keep-credentials.ts';
import { type RemoveBindingsDeps, removeWithdrawnBindings } from '../grants/remove-withdrawn-bindings.ts';
import { type LeaveOrphansDeps, leaveOrphans } from '../entering/leave-orphans.ts';
import { runTogether } from '../reflector/run-together.ts';
import { type WatchClusterDeps, watchCluster } from '../resources/watch-cluster.ts';
import { type ClusterExcess, clusterExcess } from '../clusters/cluster-excess.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ProbeResult } from '../clusters/cluster-health.ts';
import type { ClusterMetrics } from '../clusters/cluster-metrics.ts';
import { probeCluster } from './probe-cluster.ts';

export interface SyncClusterDeps
  extends WatchClusterDeps,
    KeepCredentialsDeps,
    RemoveBindingsDeps,
    LeaveOrphansDeps,
    RemoveUnusedAccountsDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'recordProbe'>;
  readonly namespaceRepository: WatchClusterDeps['namespaceRepository'] & LeaveOrphansDeps['namespaceRepository'];
  readonly metrics: Pick<ClusterMetrics, 'probed'>;
  readonly log: Service['log'];
  readonly probeMs: number;
}

export interface SyncedCluster {
  readonly id: string;
  readonly ignore: boolean;
  readonly api: KubeApi;
  readonly lease: Lease;
}

/**
 * Probes a cluster while its lease is held. Unless the cluster is ignored, also watches it, keeps its credentials fresh, and removes
 * revoked bindings and unused accounts.
 */
export function syncCluster(deps: SyncClusterDeps, cluster: SyncedCluster, signal: AbortSignal): Promise<void> {
  const excess = clusterExcess();
  return runTogether(signal, [
    (end) => probeRepeatedly(deps, cluster, excess, end),
    ...(cluster.ignore
      ? []
      : [
          (end: AbortSignal) => watchCluster(deps, { ...cluster, excess }, end),
          (end: AbortSignal) => keepCredentials(deps, cluster, end),
          (end: AbortSignal) => removeWithdrawnBindings(deps, cluster, end),
          (end: AbortSignal) => removeUnusedAccounts(deps, cluster, end),
          (end: AbortSignal) => leaveOrphans(deps, cluster, end),
        ]),
  ]);
}

async function probeRepeatedly(
  { clusterRepository, metrics, log, probeMs }: SyncClusterDeps,
  { id, api }: SyncedCluster,
  excess: Pick<ClusterExcess, 'reason'>,
  signal: AbortSignal,
): Promise<void> {
  const trouble = troubleLog(log, 'writing the health of a cluster fails');
  while (!signal.aborted) {
    const startedAt = performance.now();
    const unusable = excess.reason();
    const result: ProbeResult =
      unusable === null ? await probeCluster(api, signal) : { kind: 'unusable', reason: unusable };
    if (signal.aborted) return;
    metrics.probed(result);
    await clusterRepository.recordProbe(id, result).then(trouble.fine, trouble.failed);
    await pause(probeMs - (performance.now() - startedAt), signal);
  }
}
