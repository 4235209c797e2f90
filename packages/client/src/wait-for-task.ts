import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { unwrap } from './answer.ts';
import type { Client } from './create-client.ts';
import { type WaitOptions, waitUntil } from './wait-until.ts';

const ended: ReadonlySet<DeploymentTask['status']> = new Set(['Done', 'Failed', 'Canceled']);

/** Waits until the task is done, failed or canceled. Throws `ProblemError` and `WaitedTooLong`. */
export const waitForTask = (
  { deploymentTasks }: Pick<Client, 'deploymentTasks'>,
  id: string,
  options: Omit<WaitOptions, 'what'>,
): Promise<DeploymentTask> =>
  waitUntil(
    async () => {
      const task = unwrap(await deploymentTasks.get({ id }));
      return ended.has(task.status) ? task : null;
    },
    { ...options, what: `task ${id} to end` },
  );
