import type { ClusterAccess, ClusterEntry, Entered } from '../cluster/cluster-entry.ts';
import type { ChartCache } from '../files/chart-cache.ts';
import type { ChartSchemas } from '../manifests/chart-schemas.ts';
import type { ChartCrds } from './chart-crds.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import type { PlanWork } from './plan-work.ts';

export interface DryRunDeps {
  access: Pick<ClusterEntry, 'enter'>;
  charts: ChartCache;
  helm: HelmStarter;
  work: PlanWork;
  crds: ChartCrds;
  schemasAreLocal: ChartSchemas;
  /** Parents of the folders of runs and of the discovery caches. */
  folders: { tasks: string; discovery: string };
}

export interface Limits {
  signal: AbortSignal;
  /** Milliseconds until nobody waits for the result any longer. */
  remainingMs: () => number;
}

/** `isThere`: the namespace exists; otherwise nothing in it is read. `granted`: the ClusterRoles that a deploy would bind. */
export type PlanAccess = ClusterAccess & {
  isThere: boolean;
  /** The namespace was there before the deployment, and stays. */
  isAdopted: boolean;
  granted: Entered['cluster_roles'];
  warnings: readonly string[];
};
