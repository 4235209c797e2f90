import { type K8sClusterChanges, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { applyGiven } from '@berth/db/changes/apply-given';
import type { ChangeContext } from '@berth/db/changes/change-of';
import { removeRow } from '@berth/db/changes/remove-row';
import { updateRow } from '@berth/db/changes/update-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { AppError } from '@berth/contracts/errors';
import type { ClusterChanges } from './cluster-repository.ts';

export type InClusters = InTransaction<{ clusters: ClusterChanges }>;

export interface ClusterUpdate {
  id: string;
  changes: K8sClusterChanges;
  /** The env for which the change was checked. */
  envId: string | null;
}

export const updateCluster = (
  inTransaction: InClusters,
  context: ChangeContext,
  { id, changes, envId }: ClusterUpdate,
) =>
  updateRow(inTransaction, context, k8sClusters, {
    lock: (store) => store.clusters.lock(id),
    wanted: (before) => applyGiven(before, changes),
    update: async ({ clusters }, wanted, before) => {
      if (before.env_id !== envId)
        throw new AppError('conflict', 'The env of the cluster was changed concurrently; try again');
      if (wanted.env_id !== before.env_id) await clusters.publishResources(wanted);
      return clusters.save(wanted);
    },
  });

/** Deletes it with its tracked resources. Their deletions are published but not audited: there can be thousands of rows. */
export const deleteCluster = (inTransaction: InClusters, context: ChangeContext, id: string): Promise<null> =>
  removeRow(inTransaction, context, k8sClusters, {
    lock: (store) => store.clusters.lockToRemove(id),
    remove: (store, cluster) => store.clusters.remove(cluster),
  });
