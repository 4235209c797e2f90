import { conflict } from '../errors/refuse.ts';
import type { WritingStore } from '../store/store.ts';
import type { NewTask, Origin } from '../records/new-task.ts';
import type { TaskRecord } from '../records/task-record.ts';

/** More than anybody queues on purpose: a client in a loop must not fill the queue. */
const maxOpenTasks = 100;

/** Five of the largest tasks, or the hundred with inputs of 80 KiB. */
export const maxOpenBytes = 16 * 1024 * 1024;

/** The requested task, which is the last one: tasks that have to run before it are queued before it. */
export function lastOf<Task>(tasks: readonly Task[]): Task {
  const task = tasks.at(-1);
  if (!task) throw new Error('A task was requested and none was queued');
  return task;
}

/** Queues tasks of one deployment, in this order, under its lock. */
export async function queueTasks(
  store: Pick<WritingStore, 'tasks' | 'taskChanges'>,
  tasks: readonly NewTask[],
  origin: Origin,
): Promise<TaskRecord[]> {
  const [first] = tasks;
  if (!first) return [];
  const { count } = await store.tasks.sizeOfOpen(first.deployment_id);
  if (count + tasks.length > maxOpenTasks) {
    throw conflict(`${count} tasks of the deployment are waiting already; cancel some or wait for them`);
  }

  const queued: TaskRecord[] = [];
  for (const task of tasks) queued.push(await store.taskChanges.insert(task, origin));

  // Measured after the insert, in the same transaction, which is rolled back if they are too large.
  const { bytes } = await store.tasks.sizeOfOpen(first.deployment_id);
  if (bytes > maxOpenBytes) {
    throw conflict(
      `The waiting tasks of the deployment would take ${bytes} bytes, and ${maxOpenBytes} is the limit; cancel some or wait for them`,
    );
  }
  return queued;
}
