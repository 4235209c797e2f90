import type { Fact, Why } from '@berth/contracts/resources/deployments/why';
import { factsOfDeployment } from '../engine/deployments/facts-of-deployment.ts';
import { factsOfTask } from '../engine/tasks/facts-of-task.ts';
import { notStarted, waitsFor } from '../engine/tasks/wait-reason.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { Limits } from '../records/limits.ts';
import type { ReadingStore } from '../store/store.ts';

type Facts = Pick<ReadingStore, 'tasks' | 'waitFacts'>;

/** The facts of a task or a deployment now; computed for each answer, so never stale. */
export function createWhy(limits: Limits) {
  async function ofTask({ tasks, waitFacts }: Facts, id: string): Promise<Fact[]> {
    const task = await tasks.explained(id);
    if (!task) return [];
    const [wait] = task.status === 'Pending' ? await waitFacts.of([id], limits) : [];
    const waits = wait ? waitsFor(wait, limits) : [];
    return factsOfTask(task, wait && waits.length === 0 ? [notStarted(wait)] : waits);
  }

  return {
    ofTask: async (store: Facts, id: string): Promise<Why> => ({ facts: await ofTask(store, id) }),

    async ofDeployment(store: Facts, deployment: DeploymentRecord): Promise<Why> {
      const open = await store.tasks.open(deployment.id);
      const first = open.find(({ status }) => status === 'Started') ?? open[0];
      const last = await store.tasks.lastEnded(deployment.id);
      return { facts: factsOfDeployment({ deployment, last, ofTask: first ? await ofTask(store, first.id) : [] }) };
    },
  };
}
