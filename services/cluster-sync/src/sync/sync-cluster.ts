import type { Lease } from '@berth/shared/db/leases/lease';
import { troubleLog } from '@berth/shared/db/outbox/trouble-log';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Service } from '@berth/shared/service/service';
import { pause } from '../reflector/pause.ts';
import { together } from '../reflector/run-together.ts';
import { type WatchClusterDeps, watchCluster } from '../resources/watch-cluster.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import { probeCluster } from './probe-cluster.ts';

export interface TendClusterDeps extends WatchClusterDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'recordSign'>;
  readonly log: Service['log'];
  readonly probeMs: number;
}

export interface TendedCluster {
  readonly id: string;
  readonly ignore: boolean;
  readonly api: KubeApi;
  readonly lease: Lease;
}

/** All that is done for one cluster while its lease is held: probes, and the watch unless it is ignored. */
export const tendCluster = (deps: TendClusterDeps, cluster: TendedCluster, signal: AbortSignal): Promise<void> =>
  together(signal, [
    (end) => probeRepeatedly(deps, cluster, end),
    ...(cluster.ignore ? [] : [(end: AbortSignal) => watchCluster(deps, cluster, end)]),
  ]);

async function probeRepeatedly(
  { clusterRepository, log, probeMs }: TendClusterDeps,
  { id, api }: TendedCluster,
  signal: AbortSignal,
): Promise<void> {
  const trouble = troubleLog(log, 'the health of a cluster cannot be written');
  while (!signal.aborted) {
    const startedAt = performance.now();
    const sign = await probeCluster(api, signal);
    if (signal.aborted) return;
    await clusterRepository.recordSign(id, sign).then(trouble.fine, trouble.failed);
    await pause(probeMs - (performance.now() - startedAt), signal);
  }
}
