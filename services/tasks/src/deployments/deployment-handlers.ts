import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { found } from '@berth/contracts/errors';
import { type ListK8sEventsDeps, listK8sEvents } from '../places/list-k8s-events.ts';
import { createDeployment, type CreateDeps } from './create-deployment.ts';
import { deleteDeployment } from './delete-deployment.ts';
import { createWhy } from '../queue/why.ts';
import type { Limits } from '../records/limits.ts';
import { updateDeployment } from './update-deployment.ts';

export const deploymentHandlers = (deps: CreateDeps & ListK8sEventsDeps & { limits: Limits }) => {
  const why = createWhy(deps.limits);
  const create = createDeployment(deps);
  const update = updateDeployment(deps);
  const remove = deleteDeployment(deps);
  const listEvents = listK8sEvents(deps);

  return implement(deployments, {
    list: ({ query }, { identity }) => deps.store.deployments.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await deps.store.deployments.find(id, visibleEnvs(identity)), 'deployment'),

    why: async ({ id }, { identity }) => {
      found(await deps.store.deployments.find(id, visibleEnvs(identity)), 'deployment');
      return why.ofDeployment(deps.store, found(await deps.store.deployments.record(id), 'deployment'));
    },

    k8s_events: ({ id, query }, context) => listEvents(id, query, context),

    create: ({ body }, context) => create(body, context),

    update: ({ id, query, body }, context) => update(id, body, query.supersede === true, context),

    delete: ({ id, query }, context) => remove(id, query.abandon === true, context),
  });
};
