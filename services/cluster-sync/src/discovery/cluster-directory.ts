import { hash } from 'node:crypto';
import type { KubeAccess } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import type { ChangingToken, FoundClusters } from '../providers/cluster-provider.ts';
import { isUnread } from './discovery-plan.ts';

interface Credential {
  readonly access: KubeAccess;
  /** Replaces the credential in `access`. */
  readonly token: ChangingToken | null;
}

export interface Connection extends Credential {
  readonly api: KubeApi;
  /** Changes with the address, certificate or credential of the cluster. */
  readonly revision: string;
}

/** The connections to all clusters. Credentials are kept only here, in memory. */
export function createClusterDirectory() {
  const connections = new Map<string, Connection>();

  return {
    connectionTo: (providerId: string): Connection | undefined => connections.get(providerId),

    /** Replaces the connections of one provider; one whose access did not change stays open. */
    replace(prefix: string, { clusters, unread }: FoundClusters): void {
      const wanted = new Map(
        clusters.flatMap(({ provider_id, access, token = null }) => (access ? [[provider_id, { access, token }]] : [])),
      );
      for (const [providerId, connection] of connections) {
        if (!providerId.startsWith(prefix)) continue;
        const cluster = wanted.get(providerId);
        if (cluster && isOf(cluster, connection)) continue;
        if (!cluster && isUnread(providerId, unread)) continue;
        connections.delete(providerId);
        connection.api[Symbol.dispose]();
      }
      for (const [providerId, cluster] of wanted) {
        if (!connections.has(providerId)) connections.set(providerId, open(cluster));
      }
    },

    [Symbol.dispose](): void {
      for (const { api } of connections.values()) api[Symbol.dispose]();
      connections.clear();
    },
  };
}
export type ClusterDirectory = ReturnType<typeof createClusterDirectory>;

function open({ access, token }: Credential): Connection {
  const api = openKubeApi(access, {
    userAgent: 'berth-cluster-sync',
    ...(token && {
      token: async (signal: AbortSignal) => (await token.current(signal)).token,
      onRefused: (refused: string) => token.refused?.(refused),
    }),
  });
  return { access, token, api, revision: revisionOf({ access, token }) };
}

const isOf = ({ access, token }: Credential, connection: Connection): boolean =>
  (access === connection.access && token === connection.token) || revisionOf({ access, token }) === connection.revision;

const revisionOf = ({ access, token }: Credential): string =>
  hash('sha256', JSON.stringify([access, token?.source]), 'base64url');
