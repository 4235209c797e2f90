import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { transient } from '../outcome/task-failure.ts';

type Claim = Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;

/**
 * Whether the namespace still names this claim: for the moment before Helm starts, and before the runner itself writes to the release.
 * cluster-sync let it name the claim; a later claim makes it name that one. The right to read it
 * lies in the namespace and goes with it: then the answer is that it is missing.
 */
export async function checkFence(claim: Claim, cluster: Pick<ClusterClient, 'readNamespace'>): Promise<void> {
  const { task_id, fence, namespace: name } = claim;
  const namespace = await cluster.readNamespace(name);
  if (namespace?.metadata.annotations?.[namespaceAnnotations.claim] !== `${task_id}:${fence}`)
    throw transient('Another runner has taken over this task');
}
