import type { Lease } from '@berth/shared/db/leases/lease';
import { troubleLog } from '@berth/shared/db/outbox/trouble-log';
import type { Loop, Service } from '@berth/shared/service/service';
import type { ClusterDirectory, Connection } from '../discovery/cluster-directory.ts';
import { pause } from '../reflector/pause.ts';
import { NotOurCluster } from '../clusters/cluster-lease-lost.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { TendedCluster } from './sync-cluster.ts';

export interface TendClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'tended'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly log: Service['log'];
  /** Does the work while this process holds the lease of the cluster; answers at once where another one has it. */
  whileHolding(
    clusterId: string,
    signal: AbortSignal,
    work: (held: AbortSignal, lease: Lease) => Promise<void>,
  ): Promise<unknown>;
  tend(cluster: TendedCluster, signal: AbortSignal): Promise<void>;
  /** How often the list of clusters is looked at. */
  readonly lookMs: number;
  /** How often to try for a lease that another replica holds. */
  readonly leaseRetryMs: number;
}

interface Tending {
  stop(): void;
  readonly done: Promise<void>;
}

interface Wanted {
  readonly id: string;
  readonly name: string;
  readonly ignore: boolean;
  readonly connection: Connection;
}

/** Looks after every cluster that this process can reach and no other one looks after, each by itself. */
export const tendClusters =
  (deps: TendClustersDeps): Loop =>
  async (signal) => {
    const { clusterRepository, directory, log, lookMs } = deps;
    const trouble = troubleLog(log, 'the list of clusters cannot be read');
    const tendings = new Map<string, Tending>();

    const look = async () => {
      const clusters = await clusterRepository.tended();
      const wanted = new Map<string, Wanted>();
      for (const { id, name, ignore, provider_id } of clusters) {
        const connection = directory.connectionTo(provider_id);
        // A changed address or `ignore` restarts the work on a cluster.
        if (connection) wanted.set(`${id} ${ignore} ${connection.revision}`, { id, name, ignore, connection });
      }
      for (const [key, tending] of tendings) {
        if (wanted.has(key)) continue;
        tendings.delete(key);
        tending.stop();
        await tending.done;
      }
      for (const [key, cluster] of wanted) if (!tendings.has(key)) tendings.set(key, begin(deps, cluster, signal));
    };

    while (!signal.aborted) {
      await look().then(trouble.fine, trouble.failed);
      await pause(lookMs, signal);
    }
    await Promise.all([...tendings.values()].map(({ done }) => done));
  };

function begin(deps: TendClustersDeps, { id, name, ignore, connection }: Wanted, signal: AbortSignal): Tending {
  const log = deps.log.child({ cluster_id: id, cluster: name });
  const stopped = new AbortController();
  const end = AbortSignal.any([signal, stopped.signal]);

  const tend = async () => {
    while (!end.aborted) {
      await deps
        .whileHolding(id, end, (held, lease) => deps.tend({ id, ignore, api: connection.api, lease }, held))
        .catch((error: unknown) => {
          if (error instanceof NotOurCluster) log.info('another replica looks after this cluster');
          else if (!end.aborted) log.error({ err: error }, 'tending a cluster failed; it is restarted');
        });
      await pause(deps.leaseRetryMs, end);
    }
  };
  return { stop: () => stopped.abort(), done: tend() };
}
