import { visibleEnvs } from '@berth/shared/access/visible-envs';
import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentResourceTypes } from '@berth/shared/contracts/resources/deployment-resource-types';
import { found } from '@berth/shared/errors';
import type { ResourcesDeps } from './resources-deps.ts';

export const typeHandlers = ({ store: { resourceTypes } }: Pick<ResourcesDeps, 'store'>) =>
  implement(deploymentResourceTypes, {
    list: ({ query }, { identity }) => resourceTypes.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await resourceTypes.find(id, visibleEnvs(identity)), 'deployment resource type'),
  });
