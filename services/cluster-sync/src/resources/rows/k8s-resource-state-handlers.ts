import { implement } from '@berth/bus/rpc/implement';
import { k8sResourceState } from '@berth/contracts/resources/clusters/k8s-resource-state';
import type { K8sResourceRepository } from './k8s-resource-repository.ts';

export interface K8sResourceStateHandlersDeps {
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'object'>;
}

export const k8sResourceStateHandlers = ({ k8sResourceRepository }: K8sResourceStateHandlersDeps) =>
  implement(k8sResourceState, {
    now: async ({ body }) => ({ resource: await k8sResourceRepository.object(body.resource_id) }),
  });
