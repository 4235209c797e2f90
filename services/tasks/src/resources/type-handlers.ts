import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentResourceTypes } from '@berth/contracts/resources/deployments/deployment-resource-types';
import { found } from '@berth/contracts/errors';
import type { ResourcesDeps } from './resources-deps.ts';

export const typeHandlers = ({ store: { resourceTypes } }: Pick<ResourcesDeps, 'store'>) =>
  implement(deploymentResourceTypes, {
    list: ({ query }, { identity }) => resourceTypes.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await resourceTypes.find(id, visibleEnvs(identity)), 'deployment resource type'),
  });
