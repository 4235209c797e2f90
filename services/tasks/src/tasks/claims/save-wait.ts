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
 * What a started task waits for becomes its reason, and that of its deployment. A heartbeat does not wait for whoever changes the
 * deployment now: the next one says the same.
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
