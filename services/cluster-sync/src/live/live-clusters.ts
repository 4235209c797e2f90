import { describeFailure } from '@berth/kube/describe-failure';
import type { KubeApi } from '@berth/kube/kube-api';
import { k8sClusters } from '@berth/shared/contracts/resources/k8s-clusters';
import { AppError, found } from '@berth/shared/errors';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';

export interface LiveClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  /** Reads at once, of one cluster and of all. More are refused: they would take the connections of the watches. */
  readonly limits?: { readonly perCluster: number; readonly total: number };
}

/** Reads from a cluster while a caller waits for the answer. */
export type ReadCluster = <T>(clusterId: string, work: (api: KubeApi) => Promise<T>) => Promise<T>;

/** Refuses, in words for the caller, what cannot be read: an ignored cluster, one that does not answer, one read too often. */
export function liveClusters({
  clusterRepository,
  directory,
  limits = { perCluster: 10, total: 60 },
}: LiveClustersDeps): ReadCluster {
  const open = new Map<string, number>();
  let total = 0;

  return async (clusterId, work) => {
    const { provider_id, name, ignore, not_ok_reason } = found(
      await clusterRepository.find(clusterId, 'all'),
      k8sClusters.singular,
    );
    if (ignore) throw new AppError('conflict', `The cluster ${name} is ignored`);
    const connection = directory.connectionTo(provider_id);
    // A cluster that is known not to answer must not hold places until each deadline.
    if (!connection || not_ok_reason !== null) {
      throw new AppError(
        'unavailable',
        `The cluster ${name} cannot be reached: ${not_ok_reason ?? 'it is not configured'}`,
      );
    }
    const own = open.get(clusterId) ?? 0;
    if (own >= limits.perCluster || total >= limits.total) {
      throw new AppError(
        'unavailable',
        `Too many logs and events of the cluster ${name} are being read; try again later`,
      );
    }
    open.set(clusterId, own + 1);
    total += 1;
    try {
      return await work(connection.api);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const words = describeFailure(error, connection.api.server);
      throw new AppError('unavailable', `The cluster ${name} cannot be read: ${words}`, { cause: error });
    } finally {
      total -= 1;
      const left = (open.get(clusterId) ?? 1) - 1;
      if (left > 0) open.set(clusterId, left);
      else open.delete(clusterId);
    }
  };
}
