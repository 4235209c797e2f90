import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { checkFence } from '../namespace/namespace-fence.ts';
import { readRelease, type ReleaseReader, unlockRelease } from '../release/observe-release.ts';
import { isInterrupted } from './next-action.ts';

/** Sets a release that an interrupted run left behind to failed, if the namespace still names this claim. */
export async function repairRelease(
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>,
  cluster: ReleaseReader & Pick<ClusterClient, 'readNamespace' | 'replaceSecret'>,
): Promise<void> {
  const { observed, secret } = await readRelease(cluster, task.namespace);
  if (!secret || !isInterrupted(observed)) return;
  // Read first: a change by another claim after this makes the swap fail.
  await checkFence(task, cluster);
  await unlockRelease(cluster, task.namespace, secret);
}
