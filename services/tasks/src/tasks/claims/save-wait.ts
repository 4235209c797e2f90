import { operations } from '../../engine/operations/index.ts';
import { variantOf } from '../../records/variant.ts';
import type { WritingStore } from '../../store/store.ts';

export interface Wait {
  task_id: string;
  fence: number;
  deployment_id: string;
  waits_for: string | null;
}

/**
 * Records what a started task waits for as its reason and that of its deployment. If the deployment is locked, the heartbeat does
 * not wait: the next one reports the same.
 */
export async function saveWait(
  { deployments, deploymentChanges, taskChanges }: WritingStore,
  { deployment_id, waits_for, ...claim }: Wait,
): Promise<void> {
  const deployment = await deployments.lockIfFree(deployment_id);
  if (!deployment) return;
  const task = await taskChanges.saveWait(claim, waits_for);
  if (!task || operations[variantOf(task.operation)].startEvent === null) return;
  await deploymentChanges.saveState({ ...deployment, reason: waits_for });
}
