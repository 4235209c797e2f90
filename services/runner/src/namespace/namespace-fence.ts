import { holderOf, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { transient } from '../outcome/task-failure.ts';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;

/**
 * Checks that the namespace still names this claim, right before Helm starts and before the runner itself writes to the release.
 * cluster-sync has written the claim into it; a later claim replaces it. A deleted namespace reads as missing, because the right to
 * read it is deleted with it.
 */
export async function checkFence(claim: Claim, cluster: Pick<ClusterClient, 'readNamespace'>): Promise<void> {
  const namespace = await cluster.readNamespace(claim.namespace);
  if (namespace?.metadata.annotations?.[namespaceAnnotations.claim] !== holderOf(claim))
    throw transient('Another runner has taken over this task');
}
