import type { Bus } from '@berth/bus/bus';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import type { PodLogPart, PodLogRequest } from '@berth/contracts/resources/clusters/pod-log';
import { AppError, found, isOutage } from '@berth/contracts/errors';
import type { K8sResourceRepository } from '../../resources/rows/k8s-resource-repository.ts';
import type { ReadCluster } from '../live-clusters.ts';
import { type LogTimes, readLogPart } from './read-log-part.ts';

export interface ReadPodLogDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'findObject'>;
  readonly readCluster: ReadCluster;
  readonly logTimes?: LogTimes;
}

/** Replaces the message of an outage, which would not mention the log. */
function cannotCheck(error: unknown): never {
  if (!isOutage(error)) throw error;
  const words = 'Your permission to read this log cannot be checked: the service tasks does not answer; try again';
  throw new AppError('unavailable', words, { cause: error });
}

type Context = Pick<HandlerContext<typeof k8sResources.operations.log>, 'identity' | 'requestId' | 'signal' | 'permit'>;

/** Reads a part of the log of a pod. The permission of the caller is checked for each part. */
export const readPodLog =
  ({ bus, k8sResourceRepository, readCluster, logTimes }: ReadPodLogDeps) =>
  async ({ resource_id, ...request }: PodLogRequest, context: Context): Promise<PodLogPart> => {
    const { identity, requestId, signal } = context;
    const row = found(
      await k8sResourceRepository.findObject(resource_id, visibleEnvs(identity)),
      k8sResources.singular,
    );
    const { deployment } = await bus
      .call(deploymentPlace.operations.now, { body: { deployment_id: row.deployment_id } }, { requestId })
      .catch(cannotCheck);
    const { kind_id } = found(deployment, k8sResources.singular);
    // The pod runs in the env of its cluster, even while its deployment moves to another env.
    context.permit({ kind_id, env_id: row.env_id });
    if (row.kind !== 'Pod') throw new AppError('conflict', `A ${row.kind} has no log; read the log of one of its pods`);
    const reader = { identity, follows: request.follow === true };
    return readCluster(row.cluster_id, reader, (api) =>
      readLogPart(api, row, request, { signal, ...(logTimes && { times: logTimes }) }),
    );
  };
