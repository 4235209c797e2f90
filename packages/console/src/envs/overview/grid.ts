import type { Deployment } from '@berth/client';

export type Placed = Pick<
  Deployment,
  'id' | 'name' | 'kind_id' | 'cluster_id' | 'helm_chart_id' | 'enabled' | 'status' | 'health' | 'reason'
>;

export interface Grid<T extends Placed> {
  /** The kinds that have a deployment, sorted by name. */
  kinds: { id: string; cells: T[][] }[];
  /** The clusters, in the order of `cells`. */
  clusters: string[];
}

/** Deployments of an env as kinds × clusters. A cluster without deployments has a column too. */
export function gridOf<T extends Placed>(
  deployments: readonly T[],
  clusters: readonly { id: string; name: string }[],
  nameOfKind: (id: string) => string,
): Grid<T> {
  const columns = [...clusters].sort((a, b) => a.name.localeCompare(b.name)).map(({ id }) => id);
  // Deployments and clusters are read at different times.
  for (const { cluster_id } of deployments) if (!columns.includes(cluster_id)) columns.push(cluster_id);
  const byKind = Map.groupBy(deployments, ({ kind_id }) => kind_id);
  const kinds = [...byKind]
    .sort(([a], [b]) => nameOfKind(a).localeCompare(nameOfKind(b)))
    .map(([id, rows]) => {
      const byCluster = Map.groupBy(rows, ({ cluster_id }) => cluster_id);
      const cells = columns.map((cluster) =>
        [...(byCluster.get(cluster) ?? [])].sort((a, b) => a.name.localeCompare(b.name)),
      );
      return { id, cells };
    });
  return { kinds, clusters: columns };
}

/** Whether the platform counts a deployment as needing attention. */
export const needsAttention = ({ status, enabled, health }: Pick<Placed, 'status' | 'enabled' | 'health'>): boolean =>
  status === 'Error' || (enabled && (health?.state === 'Degraded' || health?.state === 'Unknown'));
