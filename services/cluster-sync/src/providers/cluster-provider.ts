import type { KubeAccess } from '@berth/kube/kube-access';

/** A cluster as a provider lists it; `refused` is the reason why it cannot be used. */
export interface FoundCluster {
  readonly provider_id: string;
  readonly name: string;
  readonly region_name: string;
  readonly refused: string | null;
}

/** A credential that is replaced while the connection stays open. Never log it, never store it. */
export interface ChangingToken {
  /** Where the token comes from. A new source makes a new connection, a new token does not. */
  readonly source: string;
  /** A token that is valid for a while. The implementation caches it. */
  current(signal: AbortSignal): Promise<PresentToken>;
  /** Call it if the cluster refused this token before its expiry, so that the next one is fetched early. */
  refused?(token: string): void;
}

export interface PresentToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** A cluster with its access, which is null if the cluster is refused. */
export interface ReachableCluster extends FoundCluster {
  readonly access: KubeAccess | null;
  /** Replaces the credential in `access`. */
  readonly token?: ChangingToken;
}

export interface FoundClusters {
  readonly clusters: readonly ReachableCluster[];
  /** Parts of the source that could not be read now: clusters whose ids have such a prefix stay as they are. */
  readonly unread: readonly { readonly prefix: string; readonly reason: string }[];
}

/** A source of clusters. Its failures do not affect clusters of other sources. */
export interface ClusterProvider {
  /** The name of the source in messages such as `it is no longer in the kubeconfig`. */
  readonly source: string;
  /** The prefix of the `provider_id`s of its clusters, unique to this provider. */
  readonly prefix: string;
  readonly everyMs: number;
  /** Throws if nothing can be read. The message is logged, so it must not contain anything that was read. */
  find(signal: AbortSignal): Promise<FoundClusters>;
}

/** A provider without configuration: clusters that it found earlier are flagged. */
export const notConfigured = (source: string, prefix: string): ClusterProvider => ({
  source,
  prefix,
  everyMs: 60_000,
  find: async () => ({ clusters: [], unread: [] }),
});
