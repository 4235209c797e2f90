import { conflict } from '../deployments/refuse.ts';
import type { WritingStore } from '../store.ts';
import type { NewTask, Origin } from './new-task.ts';
import type { TaskRecord } from './task-record.ts';

/** More than anybody means to have waiting for one deployment; a loop gone wrong must not fill the queue. */
export const maxOpenTasks = 100;

/** Queues tasks of one deployment, in this order, under its lock. */
export async function queueTasks(
  store: Pick<WritingStore, 'tasks' | 'taskChanges'>,
  tasks: readonly NewTask[],
  origin: Origin,
): Promise<TaskRecord[]> {
  const [first] = tasks;
  if (!first) return [];
  const open = await store.tasks.countOpen(first.deployment_id);
  if (open + tasks.length > maxOpenTasks) {
    throw conflict(`${open} tasks of the deployment are waiting already; cancel some or wait for them`);
  }

  const queued: TaskRecord[] = [];
  for (const task of tasks) queued.push(await store.taskChanges.insert(task, origin));
  return queued;
}
