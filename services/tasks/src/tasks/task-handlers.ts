import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { found } from '@berth/contracts/errors';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import { cancelTask } from './transitions/cancel-task.ts';
import { logPage, logText } from './logs/read-log.ts';
import { requestTask } from './transitions/request-task.ts';
import { rollbackDeployment } from './transitions/rollback-deployment.ts';
import { retryTask } from './transitions/retry-task.ts';
import { createWhy } from '../queue/why.ts';
import { createWaitReasons } from '../queue/wait-reasons.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { Limits } from '../records/limits.ts';

export interface TaskHandlersDeps extends DeploymentsDeps {
  limits: Limits;
  hintCancel: (taskId: string) => void;
  secretKeys: SecretKeys;
}

export const taskHandlers = (deps: TaskHandlersDeps) => {
  const { store, limits } = deps;
  const waitReasons = createWaitReasons(limits);
  const why = createWhy(limits);
  const create = requestTask({ ...deps, waitReasons });
  const cancel = cancelTask(deps);
  const rollback = rollbackDeployment({ ...deps, waitReasons });
  const retry = retryTask({ ...deps, waitReasons });

  return implement(deploymentTasks, {
    list: async ({ query }, { identity }) => {
      const page = await store.tasks.list(query, visibleEnvs(identity));
      return { ...page, items: await waitReasons.addToAll(store, page.items) };
    },

    get: async ({ id }, { identity }) =>
      waitReasons.addTo(store, found(await store.tasks.read(id, visibleEnvs(identity)), 'deployment task')),

    why: async ({ id }, { identity }) => {
      found(await store.tasks.find(id, visibleEnvs(identity)), 'deployment task');
      return why.ofTask(store, id);
    },

    create: ({ body }, context) => create(body, context),

    cancel: ({ id, body }, context) => cancel(id, body?.reason, context),

    retry: ({ id, query, body }, context) =>
      retry(id, { supersedes: query.supersede === true, skipsHooks: body?.skip_hooks === true }, context),

    rollback: ({ id, query, body }, context) =>
      rollback(id, { taskId: body.task_id, supersedes: query.supersede === true }, context),

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
