import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { checkFence } from '../namespace/namespace-fence.ts';
import { observeRelease, unlockRelease } from '../release/observe-release.ts';
import { isInterrupted } from './next-action.ts';

/** Sets a release that an interrupted run left behind to failed, if the namespace still names this claim. */
export async function repairRelease(task: ClaimedTask, cluster: ClusterClient): Promise<void> {
  const observed = await observeRelease(cluster, task.namespace);
  if (!isInterrupted(observed)) return;
  await checkFence(task, cluster);
  await unlockRelease(cluster, task.namespace);
}
