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
  /** Where it comes from. Another source makes another connection, another token does not. */
  readonly source: string;
  /** A token that is good for a while; whoever gives it keeps it as long as it lasts. */
  current(signal: AbortSignal): Promise<PresentToken>;
  /** The cluster refused this token before its end, so the next one is fetched early. */
  refused?(token: string): void;
}

export interface PresentToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** A cluster with its access; null where it is refused. */
export interface ReachableCluster extends FoundCluster {
  readonly access: KubeAccess | null;
  /** In place of a credential in the access. */
  readonly token?: ChangingToken;
}

export interface FoundClusters {
  readonly clusters: readonly ReachableCluster[];
  /** Parts of the source that could not be read now: the clusters whose ids begin so stay as they are. */
  readonly unread: readonly { readonly prefix: string; readonly reason: string }[];
}

/** A source of clusters. One that fails costs only its own. */
export interface ClusterProvider {
  /** What it reads, as in `it is no longer in the kubeconfig`. */
  readonly source: string;
  /** The `provider_id` of each of its clusters begins with it, and that of no other provider's. */
  readonly prefix: string;
  readonly everyMs: number;
  /** Throws where nothing can be read. Its words are logged, so they hold nothing that was read. */
  find(signal: AbortSignal): Promise<FoundClusters>;
}

/** A provider without configuration: clusters that it found earlier are flagged. */
export const notConfigured = (source: string, prefix: string): ClusterProvider => ({
  source,
  prefix,
  everyMs: 60_000,
  find: async () => ({ clusters: [], unread: [] }),
});
