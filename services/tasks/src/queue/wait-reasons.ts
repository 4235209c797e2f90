import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { waitReason, whyNotStarted } from '../engine/tasks/wait-reason.ts';
import type { Limits } from '../records/limits.ts';
import type { ReadingStore } from '../store/store.ts';

type Facts = Pick<ReadingStore, 'waitFacts'>;

/** Why pending tasks wait now; computed for each answer, so never stale. */
export interface WaitReasons {
  addTo(store: Facts, task: DeploymentTask): Promise<DeploymentTask>;
  addToAll(store: Facts, tasks: readonly DeploymentTask[]): Promise<DeploymentTask[]>;
}

export function createWaitReasons(limits: Limits): WaitReasons {
  async function reasonsOf({ waitFacts }: Facts, tasks: readonly DeploymentTask[]): Promise<Map<string, string>> {
    const pending = tasks.filter(({ status }) => status === 'Pending').map(({ id }) => id);
    const facts = pending.length === 0 ? [] : await waitFacts.of(pending, limits);
    return new Map(facts.map(({ id, ...of }) => [id, waitReason(of, limits) ?? whyNotStarted(of)]));
  }
  const withReason = (task: DeploymentTask, reasons: Map<string, string>): DeploymentTask => ({
    ...task,
    reason: reasons.get(task.id) ?? task.reason,
  });

  return {
    addTo: async (store, task) => withReason(task, await reasonsOf(store, [task])),

    async addToAll(store, tasks) {
      const reasons = await reasonsOf(store, tasks);
      return tasks.map((task) => withReason(task, reasons));
    },
  };
}
