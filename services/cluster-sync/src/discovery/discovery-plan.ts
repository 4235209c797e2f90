import type { NewCluster } from '../clusters/new-cluster.ts';
import type { FoundCluster, FoundClusters } from '../providers/cluster-provider.ts';

export interface KnownCluster {
  readonly id: string;
  readonly provider_id: string;
  readonly name: string;
  readonly region_name: string;
}

export interface DiscoveryOptions {
  readonly ignoreNew: boolean;
  /** The reason for clusters that are no longer listed. */
  readonly vanished: string;
  readonly unread: FoundClusters['unread'];
}

export interface DiscoveryPlan {
  readonly upsert: NewCluster[];
  readonly unusable: { readonly id: string; readonly reason: string }[];
}

/** Whether a cluster belongs to a part of its source that could not be read. */
export const isUnread = (providerId: string, unread: FoundClusters['unread']): boolean =>
  unread.some(({ prefix }) => providerId.startsWith(prefix));

/** Compares the clusters that a provider lists with the stored ones. A cluster that vanished keeps its row, env and history. */
export function discoveryPlan(
  found: readonly FoundCluster[],
  known: readonly KnownCluster[],
  { ignoreNew, vanished, unread }: DiscoveryOptions,
): DiscoveryPlan {
  const knownBy = new Map(known.map((cluster) => [cluster.provider_id, cluster]));
  const foundBy = new Map(found.map((cluster) => [cluster.provider_id, cluster]));

  const isChange = ({ provider_id, name, region_name }: FoundCluster) => {
    const row = knownBy.get(provider_id);
    return row?.name !== name || row.region_name !== region_name;
  };
  const reasonAgainst = ({ provider_id }: KnownCluster) => {
    const cluster = foundBy.get(provider_id);
    if (cluster) return cluster.refused;
    return isUnread(provider_id, unread) ? null : vanished;
  };

  return {
    upsert: found
      .filter(isChange)
      .map(({ provider_id, name, region_name }) => ({ provider_id, name, region_name, ignore: ignoreNew })),
    unusable: known.flatMap((cluster) => {
      const reason = reasonAgainst(cluster);
      return reason === null ? [] : [{ id: cluster.id, reason }];
    }),
  };
}
