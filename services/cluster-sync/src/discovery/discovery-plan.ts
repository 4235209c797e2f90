import type { NewCluster } from '../clusters/new-cluster.ts';

/** A cluster as a provider lists it; `refused` is the reason why it cannot be used. */
export interface FoundCluster {
  readonly provider_id: string;
  readonly name: string;
  readonly region_name: string;
  readonly refused: string | null;
}

export interface KnownCluster {
  readonly id: string;
  readonly provider_id: string;
  readonly name: string;
  readonly region_name: string;
}

export interface DiscoveryPlan {
  readonly upsert: NewCluster[];
  readonly unusable: { readonly id: string; readonly reason: string }[];
}

/** Compares the clusters that a provider lists with the stored ones. A cluster that vanished keeps its row, env and history. */
export function discoveryPlan(
  found: readonly FoundCluster[],
  known: readonly KnownCluster[],
  { ignoreNew, vanished }: { ignoreNew: boolean; vanished: string },
): DiscoveryPlan {
  const knownBy = new Map(known.map((cluster) => [cluster.provider_id, cluster]));
  const foundBy = new Map(found.map((cluster) => [cluster.provider_id, cluster]));

  const isChange = ({ provider_id, name, region_name }: FoundCluster) => {
    const row = knownBy.get(provider_id);
    return row?.name !== name || row.region_name !== region_name;
  };
  const reasonAgainst = ({ provider_id }: KnownCluster) => {
    const cluster = foundBy.get(provider_id);
    return cluster ? cluster.refused : vanished;
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
