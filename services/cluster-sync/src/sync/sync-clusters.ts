import type { Lease } from '@berth/db/leases/lease';
import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { Loop, Service } from '@berth/service/service';
import type { ClusterDirectory, Connection } from '../discovery/cluster-directory.ts';
import { pause } from '@berth/service/waiting/pause';
import { ClusterLeaseLost } from '../clusters/cluster-lease-lost.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { SyncedCluster } from './sync-cluster.ts';

export interface SyncClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'all'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly log: Service['log'];
  /** Runs the work while this process holds the lease of the cluster; returns at once if another process holds it. */
  whileHolding(
    clusterId: string,
    signal: AbortSignal,
    work: (held: AbortSignal, lease: Lease) => Promise<void>,
  ): Promise<unknown>;
  sync(cluster: SyncedCluster, signal: AbortSignal): Promise<void>;
  /** How often the list of clusters is read. */
  readonly refreshMs: number;
  /** How often to try to acquire a lease that another replica holds. */
  readonly leaseRetryMs: number;
}

interface RunningSync {
  stop(): void;
  readonly done: Promise<void>;
}

interface ClusterToSync {
  readonly id: string;
  readonly name: string;
  readonly ignore: boolean;
  readonly connection: Connection;
}

/** Syncs every cluster to which this process has a connection and the lease, each independently. */
export const syncClusters =
  (deps: SyncClustersDeps): Loop =>
  async (signal) => {
    const { clusterRepository, directory, log, refreshMs } = deps;
    const trouble = troubleLog(log, 'reading the list of clusters fails');
    const running = new Map<string, RunningSync>();

    const refresh = async () => {
      const clusters = await clusterRepository.all();
      const wanted = new Map<string, ClusterToSync>();
      for (const { id, name, ignore, provider_id } of clusters) {
        const connection = directory.connectionTo(provider_id);
        // A changed connection or `ignore` restarts the sync of a cluster.
        if (connection) wanted.set(`${id} ${ignore} ${connection.revision}`, { id, name, ignore, connection });
      }
      for (const [key, sync] of running) {
        if (wanted.has(key)) continue;
        running.delete(key);
        sync.stop();
        await sync.done;
      }
      for (const [key, cluster] of wanted) if (!running.has(key)) running.set(key, start(deps, cluster, signal));
    };

    while (!signal.aborted) {
      await refresh().then(trouble.fine, trouble.failed);
      await pause(refreshMs, signal);
    }
    await Promise.all([...running.values()].map(({ done }) => done));
  };

function start(
  deps: SyncClustersDeps,
  { id, name, ignore, connection }: ClusterToSync,
  signal: AbortSignal,
): RunningSync {
  const log = deps.log.child({ cluster_id: id, cluster: name });
  const stopped = new AbortController();
  const end = AbortSignal.any([signal, stopped.signal]);

  const sync = async () => {
    while (!end.aborted) {
      await deps
        .whileHolding(id, end, (held, lease) => deps.sync({ id, ignore, api: connection.api, lease }, held))
        .catch((error: unknown) => {
          if (error instanceof ClusterLeaseLost) log.info('another replica syncs this cluster');
          else if (!end.aborted) log.error({ err: error }, 'syncing a cluster failed; it is restarted');
        });
      await pause(deps.leaseRetryMs, end);
    }
  };
  return { stop: () => stopped.abort(), done: sync() };
}
