import type { Queries } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { Loop, Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import { createReplicaRepository, leaseNameOfReplica } from './replica-repository.ts';

interface ClusterShareOptions {
  readonly db: Queries;
  readonly log: Service['log'];
  /** Identifies this process. */
  readonly holder: string;
  /** How long a new replica does not count, so that those which come and go in an upgrade move no clusters. */
  readonly newMs: number;
  readonly ttlMs: number;
  readonly heartbeatMs: number;
}

interface ClusterShare {
  /** How many of these clusters this replica should sync at most; all while it does not count itself. */
  mostOf(clusters: number): number;
  /** Lets this replica count, and counts the others. */
  readonly keep: Loop;
}

/** The replicas that count hold a lease each, beside those of the clusters. */
export function clusterShare({ db, log, holder, newMs, ttlMs, heartbeatMs }: ClusterShareOptions): ClusterShare {
  const trouble = troubleLog(log, 'counting the replicas fails');
  const replicaRepository = createReplicaRepository(db);
  let replicas = 1;
  let counts = false;

  const count = async () => {
    await replicaRepository.removeEnded();
    replicas = Math.max(1, await replicaRepository.count());
  };

  const keep: Loop = async (signal) => {
    const hold = { name: leaseNameOfReplica(holder), holder, ttlMs, heartbeatMs, marginMs: 0 };
    while (!signal.aborted) {
      await pause(newMs, signal);
      if (signal.aborted) break;
      await whileHolding(db, { ...hold, signal }, async (held) => {
        while (!held.aborted) {
          await count().then(trouble.fine, trouble.failed);
          counts = true;
          await pause(heartbeatMs, held);
        }
      }).catch(trouble.failed);
      // Whoever was away so long that the others no longer counted it begins as a new one.
      counts = false;
    }
  };

  return { keep, mostOf: (clusters) => (counts ? Math.ceil(clusters / replicas) : clusters) };
}
