import type { DeploymentTask } from '@berth/shared/contracts/resources/deployment-tasks';
import { found } from '@berth/shared/errors';
import type { ReadingStore } from '../store/store.ts';
import { type Limits, noFreeRunner, whyNotYet } from '../engine/tasks/wait-reason.ts';
import type { WorldRepository } from '../store/wait-facts-repository.ts';

/** Pending tasks with why they wait, as it is at this moment; nothing of it is stored, so nothing of it is ever stale. */
export async function withReasons(
  worlds: WorldRepository,
  tasks: readonly DeploymentTask[],
): Promise<DeploymentTask[]> {
  const pending = tasks.filter(({ status }) => status === 'Pending').map(({ id }) => id);
  if (pending.length === 0) return [...tasks];

  const reasons = new Map(
    (await worlds.of(pending)).map(({ id, task, world }) => [id, whyNotYet(task, world) ?? noFreeRunner]),
  );
  return tasks.map((task) => ({ ...task, reason: reasons.get(task.id) ?? task.reason }));
}

export type Told = (store: Pick<ReadingStore, 'worlds'>, task: DeploymentTask) => Promise<DeploymentTask>;

/** One task, as seen by the store: in the transaction that makes it, or later. */
export const toldWithin =
  (limits: Limits): Told =>
  async ({ worlds }, task) =>
    found((await withReasons(worlds(limits), [task]))[0], 'deployment task');
