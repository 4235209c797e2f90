import { Bug } from '@berth/contracts/errors';
import { conflict } from '../errors/refuse.ts';
import type { WritingStore } from '../store/store.ts';
import type { NewTask, Origin } from '../records/new-task.ts';
import type { TaskRecord } from '../records/task-record.ts';

/** More than anybody queues on purpose; keeps a client in a loop from filling the queue. */
const maxOpenTasks = 100;

/** Room for five of the largest tasks, or for a hundred with inputs of 80 KiB. */
export const maxOpenBytes = 16 * 1024 * 1024;

/** The requested task is the last one: tasks that must run before it are queued first. */
export function lastOf<Task>(tasks: readonly Task[]): Task {
  const task = tasks.at(-1);
  if (!task) throw new Bug('The requested task was not queued');
  return task;
}

/** Queues tasks of one deployment in this order. The caller holds the lock of the deployment. */
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

  // Measured after the insert; if they are too large, the transaction is rolled back.
  const { bytes } = await store.tasks.sizeOfOpen(first.deployment_id);
  if (bytes > maxOpenBytes) {
    throw conflict(
      `The waiting tasks of the deployment would take ${bytes} bytes, and ${maxOpenBytes} is the limit; cancel some or wait for them`,
    );
  }
  return queued;
}
