import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { ReadingStore, WritingStore } from '../store/store.ts';
import { isResting, restingReason } from '../engine/deployments/resting-reason.ts';
import type { TaskRun } from '../records/task-run.ts';

/** The deployment, with its present reason if it is at rest. `ran`: the run of the task that has just ended. */
export async function atRest(
  { tasks }: Pick<ReadingStore, 'tasks'>,
  deployment: DeploymentRecord,
  ran: TaskRun | null = null,
): Promise<DeploymentRecord> {
  if (!isResting(deployment)) return deployment;
  const running = ran?.action === 'deploy' ? ran : await tasks.deployRunOf(deployment.revision_id);
  return { ...deployment, reason: restingReason(deployment, running, await tasks.outlook(deployment.id)) };
}

/** The same after a change of the queue. The caller holds the lock of the deployment. */
export async function refreshReason(store: WritingStore, before: DeploymentRecord): Promise<DeploymentRecord> {
  const after = await atRest(store, before);
  return after.reason === before.reason ? before : store.deploymentChanges.saveState(after);
}
