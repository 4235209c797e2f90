import type { WritingStore } from '../store/store.ts';
import { refreshReason } from '../queue/at-rest.ts';
import type { NewTask, Origin } from '../records/new-task.ts';
import { queueTasks } from '../queue/queue-tasks.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { Fit } from './fit-changes.ts';
import { healPlan } from '../engine/operations/heal-plan.ts';
import type { Variant } from '../records/variant.ts';
import { plannedTasks } from '../engine/tasks/planned-tasks.ts';

/** Writes the checked deployment. */
export async function saveFit(store: WritingStore, { after, references }: Fit): Promise<DeploymentRecord> {
  const saved = await store.deploymentChanges.saveWanted(after);
  if (references) await store.deploymentChanges.saveReferences(saved.id, references);
  return saved;
}

/** The tasks that a plan needs, given where releases are now. */
export async function tasksOf(
  store: Pick<WritingStore, 'tasks'>,
  plan: readonly Variant[],
  before: DeploymentRecord | null,
  { after, kind, chart }: Fit,
  rollbackTo?: string,
): Promise<NewTask[]> {
  const open = plan.length === 0 ? [] : await store.tasks.open(after.id);
  const reinstallDependents = chart.parsedFeatures.reinstall_dependencies;
  return plannedTasks(healPlan(plan, after, open), {
    before,
    after,
    kind: kind.name,
    reinstallDependents,
    rollbackTo,
  });
}

interface Making {
  before: DeploymentRecord;
  fit: Fit;
  origin: Origin;
  /** The task to which a rollback returns. */
  rollbackTo?: string;
}

/** Makes the change and queues its tasks; returns both. */
export async function makeChanges(
  store: WritingStore,
  plan: readonly Variant[],
  { before, fit, origin, rollbackTo }: Making,
): Promise<{ deployment: DeploymentRecord; tasks: TaskRecord[] }> {
  const saved = await saveFit(store, fit);
  if (saved.cluster_id !== before.cluster_id) await store.queueChanges.movePending(saved);
  const planned = await tasksOf(store, plan, before, { ...fit, after: saved }, rollbackTo);
  const tasks = await queueTasks(store, planned, origin);
  return { deployment: saved.reason === null ? saved : await refreshReason(store, saved), tasks };
}
