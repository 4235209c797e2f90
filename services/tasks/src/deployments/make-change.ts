import { alwaysSupersedes } from '../engine/tasks/superseded.ts';
import { refreshReason } from '../queue/at-rest.ts';
import { queueTasks } from '../queue/queue-tasks.ts';
import { type MayCancel, supersede } from '../queue/supersede.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { Origin } from '../records/new-task.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { WritingStore } from '../store/store.ts';
import type { ProposedChange } from './propose-change.ts';

/**
 * Writes the deployment with its references, and queues the tasks; returns what was written. With `mayCancel`, and where the
 * deployment is disabled, they supersede a task that only awaits readiness.
 */
export async function makeChange(
  store: WritingStore,
  proposed: ProposedChange,
  origin: Origin,
  mayCancel: MayCancel | null = null,
): Promise<{ deployment: DeploymentRecord; tasks: TaskRecord[] }> {
  const saved = await saveDeployment(store, proposed);
  const tasks = await queueTasks(store, proposed.tasks, origin);
  const deployment = saved.reason === null ? saved : await refreshReason(store, saved);
  const [by] = tasks;
  const { before, after } = proposed;
  if (!by || !(mayCancel || alwaysSupersedes(before, after))) return { deployment, tasks };
  return { deployment: await supersede(store, deployment, { by, origin, mayCancel }), tasks };
}

/** Writes the deployment with its references, without tasks. */
export async function saveDeployment(
  { deploymentChanges, queueChanges }: WritingStore,
  { before, after, references }: ProposedChange,
): Promise<DeploymentRecord> {
  const saved = await (before ? deploymentChanges.saveWanted(after) : deploymentChanges.insert(after));
  if (references) await deploymentChanges.saveReferences(saved.id, references);
  if (before && saved.cluster_id !== before.cluster_id) await queueChanges.movePending(saved);
  return saved;
}
