import { checkFence } from '../namespace/namespace-fence.ts';
import { isCutOff } from './next-action.ts';
import { observeRelease, unlockRelease } from '../release/observe-release.ts';
import type { TaskRun } from './task-run.ts';

/** Sets a release that a run was cut off in to failed, if it is so and the claim is still ours. */
export async function repairRelease({ task, client }: Pick<TaskRun, 'task' | 'client'>): Promise<void> {
  const observed = await observeRelease(client, task.namespace);
  if (!isCutOff(observed)) return;
  await checkFence(task, client);
  await unlockRelease(client, task.namespace);
}
