import { visibleEnvs } from '@berth/shared/access/visible-envs';
import { implement } from '@berth/shared/bus/rpc/implement';
import { k8sResources } from '@berth/shared/contracts/resources/k8s-resources';
import { found } from '@berth/shared/errors';
import type { K8sResourceRepository } from './k8s-resource-repository.ts';

export interface K8sResourceHandlersDeps {
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'list' | 'find'>;
}

export const k8sResourceHandlers = ({ k8sResourceRepository }: K8sResourceHandlersDeps) =>
  implement(k8sResources, {
    list: ({ query }, { identity }) => k8sResourceRepository.list(query, visibleEnvs(identity), query),

    get: async ({ id }, { identity }) =>
      found(await k8sResourceRepository.find(id, visibleEnvs(identity)), k8sResources.singular),
  });
