import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { Bus } from '@berth/bus/bus';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import { envs } from '@berth/contracts/resources/envs/envs';
import { type K8sCluster, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { AppError, found, named } from '@berth/contracts/errors';
import { deleteCluster, type InClusters, updateCluster } from './change-cluster.ts';
import type { ClusterRepository } from './cluster-repository.ts';

export interface ClusterHandlersDeps {
  readonly inTransaction: InClusters;
  readonly clusterRepository: Pick<ClusterRepository, 'list' | 'find' | 'releaseEnv'>;
  readonly bus: Pick<Bus, 'call'>;
}

const { singular } = k8sClusters;

interface Caller extends Required<Pick<CallOptions, 'requestId'>> {
  readonly identityToken: string | undefined;
  remainingMs(): number;
}

export const clusterHandlers = ({ inTransaction, clusterRepository, bus }: ClusterHandlersDeps) => {
  const onBehalfOf = ({ identityToken, requestId, remainingMs }: Caller): CallOptions => ({
    identityToken,
    requestId,
    deadlineMs: remainingMs(),
  });

  /** Confirmed with the owner: a projection may lag, and a new env often gets its cluster at once. */
  const isMissing = (envId: string, caller: Caller): Promise<boolean> =>
    bus.call(envs.operations.get, { id: envId }, onBehalfOf(caller)).then(
      () => false,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'not_found') return true;
        throw error;
      },
    );

  async function refuseMissingEnv(envId: string, caller: Caller): Promise<void> {
    if (await isMissing(envId, caller)) named(null, 'body.env_id', envs.singular);
  }

  /** The env may be deleted between check and write. If the event of its deletion comes first, only this releases the cluster. */
  async function takeBackFromMissingEnv(envId: string, caller: Caller): Promise<void> {
    const isGone = await isMissing(envId, caller).catch(() => false);
    if (!isGone) return;
    await clusterRepository.releaseEnv(envId);
    named(null, 'body.env_id', envs.singular);
  }

  async function refuseWithDeployments({ id, name }: K8sCluster, caller: Caller): Promise<void> {
    const request = { body: { cluster_id: id } };
    const { deployments } = await bus.call(deploymentUsage.operations.of_cluster, request, onBehalfOf(caller));
    if (deployments.count === 0) return;
    const more = deployments.count - deployments.names.length;
    const words = [...deployments.names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
    throw new AppError('conflict', `The cluster ${name} has deployments: ${words}`);
  }

  return implement(k8sClusters, {
    list: ({ query }, { identity }) => clusterRepository.list(query, visibleEnvs(identity), query),

    get: async ({ id }, { identity }) => found(await clusterRepository.find(id, visibleEnvs(identity)), singular),

    update: async ({ id, body }, context) => {
      const cluster = found(await clusterRepository.find(id, 'all'), singular);
      context.checkIfMatch(cluster);
      const movesEnv = body.env_id !== undefined && body.env_id !== cluster.env_id;
      if (movesEnv && body.env_id) await refuseMissingEnv(body.env_id, context);
      if (movesEnv) await refuseWithDeployments(cluster, context);

      const updated = await updateCluster(inTransaction, context, { id, changes: body, envId: cluster.env_id });
      if (movesEnv && body.env_id) await takeBackFromMissingEnv(body.env_id, context);
      return updated;
    },

    delete: async ({ id }, context) => {
      const cluster = found(await clusterRepository.find(id, 'all'), singular);
      context.checkIfMatch(cluster);
      await refuseWithDeployments(cluster, context);
      return deleteCluster(inTransaction, context, id);
    },
  });
};
