import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentResources } from '@berth/contracts/resources/deployments/deployment-resources';
import { found } from '@berth/contracts/errors';
import { createResource } from './create-resource.ts';
import { deleteResource } from './delete-resource.ts';
import type { ResourcesDeps } from './resources-deps.ts';
import { updateResource } from './update-resource.ts';

export const resourceHandlers = (deps: ResourcesDeps) => {
  const create = createResource(deps);
  const update = updateResource(deps);
  const remove = deleteResource(deps);

  return implement(deploymentResources, {
    list: ({ query }, { identity }) => deps.store.resources.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await deps.store.resources.find(id, visibleEnvs(identity)), 'deployment resource'),

    create: ({ body }, context) => create(body, context),

    update: ({ id, body }, context) => update(id, body, context),

    delete: ({ id }, context) => remove(id, context),
  });
};
