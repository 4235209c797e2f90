import { type K8sClusterChanges, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { applyGiven } from '@berth/db/changes/apply-given';
import { type ChangeContext, change } from '@berth/db/changes/change';
import type { Database } from '@berth/db/database';
import { recordStates } from '@berth/db/outbox/outbox';
import { AppError } from '@berth/contracts/errors';
import { createClusterRepository, publishResources } from './cluster-repository.ts';

export interface ClusterUpdate {
  id: string;
  changes: K8sClusterChanges;
  /** The env for which the change was checked. */
  envId: string | null;
}

export const updateCluster = (db: Database, context: ChangeContext, { id, changes, envId }: ClusterUpdate) =>
  change(db, context, k8sClusters, {
    lock: (tx) => createClusterRepository(tx).lock(id),
    wanted: (before) => applyGiven(before, changes),
    update: async (tx, wanted, before) => {
      if (before.env_id !== envId)
        throw new AppError('conflict', 'The env of the cluster was changed concurrently; try again');
      const after = await createClusterRepository(tx).save(wanted);
      if (after.env_id !== before.env_id) await publishResources(tx, after);
      return after;
    },
  });

/** Deletes it with its tracked resources. Their deletions are published but not audited: there can be thousands of rows. */
export const deleteCluster = (db: Database, context: ChangeContext, id: string): Promise<null> =>
  change(db, context, k8sClusters, {
    lock: (tx) => createClusterRepository(tx).lockToRemove(id),
    remove: async (tx, { env_id }) => {
      const clusterRepository = createClusterRepository(tx);
      const rows = await clusterRepository.removeResources(id);
      await recordStates(
        tx,
        k8sResources,
        rows.map((row) => ({ id: row.id, env_id, operation: 'DELETE', row })),
      );
      await clusterRepository.remove(id);
    },
  });
