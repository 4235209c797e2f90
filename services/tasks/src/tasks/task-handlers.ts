import { visibleEnvs } from '@berth/shared/access/visible-envs';
import { implement } from '@berth/shared/bus/implement';
import { type DeploymentTask, deploymentTasks } from '@berth/shared/contracts/deployment-tasks';
import { found } from '@berth/shared/errors';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { cancelTask } from './cancel-task.ts';
import { logPage, logText } from './read-log.ts';
import { requestTask } from './request-task.ts';
import { retryTask } from './retry-task.ts';
import { publicTask } from './task-record.ts';
import { withReasons } from './told-reasons.ts';
import type { WorldRepository } from './world-repository.ts';

export interface TaskHandlersDeps extends DeploymentsDeps {
  worlds: WorldRepository;
  hintCancel: (taskId: string) => void;
}

export const taskHandlers = (deps: TaskHandlersDeps) => {
  const { store, worlds } = deps;
  const create = requestTask(deps);
  const cancel = cancelTask(deps);
  const retry = retryTask(deps);
  const told = async (task: DeploymentTask): Promise<DeploymentTask> => {
    const [withReason] = await withReasons(worlds, [task]);
    return found(withReason, 'deployment task');
  };

  return implement(deploymentTasks, {
    list: async ({ query }, { identity }) => {
      const page = await store.tasks.list(query, visibleEnvs(identity));
      return { ...page, items: await withReasons(worlds, page.items) };
    },

    get: async ({ id }, { identity }) =>
      told(publicTask(found(await store.tasks.find(id, visibleEnvs(identity)), 'deployment task'))),

    create: async ({ body }, context) => told(await create(body, context)),

    cancel: ({ id, body }, context) => cancel(id, body?.reason, context),

    retry: async ({ id }, context) => told(await retry(id, context)),

    log: async ({ id }, { identity }) => {
      const task = found(await store.tasks.find(id, visibleEnvs(identity)), 'deployment task');
      return logText(store.logs, task.id);
    },

    log_lines: async ({ body }, { identity }) => {
      const task = found(await store.tasks.find(body.task_id, visibleEnvs(identity)), 'deployment task');
      return logPage(store.logs, task, body);
    },
  });
};
