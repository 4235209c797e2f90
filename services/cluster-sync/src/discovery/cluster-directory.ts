import { hash } from 'node:crypto';
import type { KubeAccess } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import type { ReachableCluster } from './read-kubeconfig.ts';

export interface Connection {
  readonly access: KubeAccess;
  readonly api: KubeApi;
  /** Changes with the address, certificate or credential of the cluster. */
  readonly revision: string;
}

/** The connections to all clusters. Credentials are kept here, in memory, and nowhere else. */
export function createClusterDirectory() {
  const connections = new Map<string, Connection>();

  return {
    connectionTo: (providerId: string): Connection | undefined => connections.get(providerId),

    /** Replaces all connections; one whose access did not change stays open. */
    replace(clusters: readonly ReachableCluster[]): void {
      const accesses = new Map(clusters.flatMap(({ provider_id, access }) => (access ? [[provider_id, access]] : [])));
      for (const [providerId, { api, revision }] of connections) {
        const access = accesses.get(providerId);
        if (access && revisionOf(access) === revision) continue;
        connections.delete(providerId);
        api[Symbol.dispose]();
      }
      for (const [providerId, access] of accesses) {
        if (connections.has(providerId)) continue;
        connections.set(providerId, {
          access,
          api: openKubeApi(access, { userAgent: 'berth-cluster-sync' }),
          revision: revisionOf(access),
        });
      }
    },

    [Symbol.dispose](): void {
      for (const { api } of connections.values()) api[Symbol.dispose]();
      connections.clear();
    },
  };
}
export type ClusterDirectory = ReturnType<typeof createClusterDirectory>;

const revisionOf = (access: KubeAccess): string => hash('sha256', JSON.stringify(access), 'base64url');
