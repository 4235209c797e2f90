import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { found } from '@berth/contracts/errors';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import type { PodLogPart, PodLogRequest } from '@berth/contracts/resources/clusters/pod-log';
import type { K8sResourceRepository } from './k8s-resource-repository.ts';

type LogContext = Pick<
  HandlerContext<typeof k8sResources.operations.log>,
  'identity' | 'requestId' | 'signal' | 'permit'
>;

export interface K8sResourceHandlersDeps {
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'list' | 'find'>;
  readLog(request: PodLogRequest, context: LogContext): Promise<PodLogPart>;
}

export const k8sResourceHandlers = ({ k8sResourceRepository, readLog }: K8sResourceHandlersDeps) =>
  implement(k8sResources, {
    list: ({ query }, { identity }) => k8sResourceRepository.list(query, visibleEnvs(identity), query),

    get: async ({ id }, { identity }) =>
      found(await k8sResourceRepository.find(id, visibleEnvs(identity)), k8sResources.singular),

    log: async ({ id, query }, context) => {
      const { text } = await readLog({ ...query, follow: false, resource_id: id, position: null }, context);
      return text;
    },

    log_part: ({ body }, context) => readLog(body, context),
  });
