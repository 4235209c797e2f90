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
    /** `freeForMs` leaves a lease to the other replicas for that long after it was given up. */
    options: { readonly signal: AbortSignal; readonly freeForMs: number },
    work: (held: AbortSignal, lease: Lease) => Promise<void>,
  ): Promise<unknown>;
  /** How many of these clusters this replica should sync at most. */
  mostOf(clusters: number): number;
  sync(cluster: SyncedCluster, signal: AbortSignal): Promise<void>;
  /** How often the list of clusters is read. */
  readonly refreshMs: number;
  /** How often to try to acquire a lease that another replica holds. */
  readonly leaseRetryMs: number;
  /** How long all clusters stay after no other replica took one. */
  readonly keepMs: number;
}

interface RunningSync {
  readonly isHeld: boolean;
  /** Leaves the cluster to another replica. */
  giveUp(): void;
  stop(): void;
  readonly done: Promise<void>;
}

interface ClusterToSync {
  readonly id: string;
  readonly name: string;
  readonly ignore: boolean;
  readonly connection: Connection;
}

/**
 * Syncs every cluster to which this process has a connection and the lease, each independently. One that holds more than its share
 * gives up one at a time, and leaves free leases to the others at first.
 */
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
      for (const [key, cluster] of wanted) {
        if (!running.has(key)) running.set(key, start(deps, cluster, { signal, isFull, onReturn }));
      }
      if (excess() > 0 && performance.now() >= staysUntil) held()[0]?.giveUp();
    };
    let staysUntil = 0;
    const onReturn = () => {
      staysUntil = performance.now() + deps.keepMs;
    };
    const isFull = () => excess() >= 0;
    const held = () => [...running.values()].filter(({ isHeld }) => isHeld);
    const excess = () => held().length - deps.mostOf(running.size);

    while (!signal.aborted) {
      await refresh().then(trouble.fine, trouble.failed);
      await pause(refreshMs, signal);
    }
    await Promise.all([...running.values()].map(({ done }) => done));
  };

interface Common {
  readonly signal: AbortSignal;
  /** Whether this replica has its share. */
  readonly isFull: () => boolean;
  /** Called when no other replica took a cluster that was left to them. */
  readonly onReturn: () => void;
}

function start(
  deps: SyncClustersDeps,
  { id, name, ignore, connection }: ClusterToSync,
  { signal, isFull, onReturn }: Common,
): RunningSync {
  const log = deps.log.child({ cluster_id: id, cluster: name });
  const stopped = new AbortController();
  const end = AbortSignal.any([signal, stopped.signal]);
  /** Of the lease that is held now. */
  let given: AbortController | undefined;
  let fence = 0;
  let isGivenUp = false;

  const hold = async (held: AbortSignal, lease: Lease) => {
    given = new AbortController();
    // The fence grows with each holder.
    if (isGivenUp && lease.fence === fence + 1) onReturn();
    isGivenUp = false;
    fence = lease.fence;
    try {
      await deps.sync({ id, ignore, api: connection.api, lease }, AbortSignal.any([held, given.signal]));
    } finally {
      given = undefined;
    }
  };
  const sync = async () => {
    while (!end.aborted) {
      await deps
        .whileHolding(id, { signal: end, freeForMs: isFull() ? 3 * deps.leaseRetryMs : 0 }, hold)
        .catch((error: unknown) => {
          if (error instanceof ClusterLeaseLost) log.info('another replica syncs this cluster');
          else if (!end.aborted) log.error({ err: error }, 'syncing a cluster failed; it is restarted');
        });
      // Each other replica tries to acquire it meanwhile.
      await pause(isGivenUp ? 2 * deps.leaseRetryMs : deps.leaseRetryMs, end);
    }
  };
  return {
    get isHeld() {
      return given !== undefined && !given.signal.aborted;
    },
    giveUp() {
      log.info('this replica syncs more clusters than the others, and leaves this one to them');
      isGivenUp = true;
      given?.abort();
    },
    stop: () => stopped.abort(),
    done: sync(),
  };
}
