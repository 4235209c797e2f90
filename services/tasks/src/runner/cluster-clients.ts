import type { Bus } from '@berth/shared/bus/bus';
import { clusterAccess } from '@berth/shared/contracts/cluster-access';
import { type ClusterClient, createClusterClient } from './cluster-client.ts';

const maxClusters = 100;
/** A run must not outlive its access: what has less than this left is issued anew. */
const neededMs = 20 * 60_000;

export interface ClusterHandle {
  kubeconfig: string;
  client: ClusterClient;
}

export type ClusterClients = ReturnType<typeof createClusterClients>;

/** Access to clusters as cluster-sync issues it, kept while it is good for long enough. */
export function createClusterClients({ bus }: { bus: Pick<Bus, 'call'> }) {
  const known = new Map<string, ClusterHandle & { expiresAt: number; issuedAt: number }>();

  return {
    async of(clusterId: string): Promise<ClusterHandle> {
      const cached = known.get(clusterId);
      if (cached && isGoodFor(cached, Date.now())) return cached;

      const issued = await bus.call(
        clusterAccess.operations.issue,
        { body: { cluster_id: clusterId } },
        { deadlineMs: 10_000 },
      );
      const handle = {
        kubeconfig: issued.kubeconfig,
        client: createClusterClient(issued.kubeconfig),
        expiresAt: Date.parse(issued.expires_at),
        issuedAt: Date.now(),
      };
      known.delete(clusterId);
      known.set(clusterId, handle);
      for (const oldest of known.keys()) {
        if (known.size <= maxClusters) break;
        known.delete(oldest);
      }
      return handle;
    },
    /** After a refusal or a failure: the cluster may have moved, or its access may have been withdrawn. */
    forget(clusterId: string): void {
      known.delete(clusterId);
    },
  };
}

/** Short-lived access whose whole life is below the need is used for the first half of it. */
export const isGoodFor = ({ expiresAt, issuedAt }: { expiresAt: number; issuedAt: number }, now: number): boolean =>
  expiresAt - now > Math.min(neededMs, (expiresAt - issuedAt) / 2);
