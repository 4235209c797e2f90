import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { AppError, found } from '@berth/contracts/errors';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import { createLiveSlots, type LiveLimits, type Reader, usualLimits } from './live-slots.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';

export interface LiveClustersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly limits?: LiveLimits;
}

/** Reads from a cluster while a caller waits for the answer. */
export type ReadCluster = <T>(clusterId: string, reader: Reader, work: (api: KubeApi) => Promise<T>) => Promise<T>;

/** Must equal the interval of the probes. */
const probedEverySeconds = 15;
/** `Retry-After` for faults that an operator has to correct. */
const configuredWithinSeconds = 60;
/** A longer `Retry-After` of a cluster is shortened to this. */
const longestRetryAfterMs = 60_000;

/**
 * Reads from clusters within limits. Refuses a cluster that is ignored, does not answer or is read too often; the message
 * gives the reason and a way out.
 */
export function liveClusters({ clusterRepository, directory, limits = usualLimits }: LiveClustersDeps): ReadCluster {
  const takeSlot = createLiveSlots(limits);

  return async (clusterId, reader, work) => {
    const { provider_id, name, ignore, not_ok_reason } = found(
      await clusterRepository.find(clusterId, 'all'),
      k8sClusters.singular,
    );
    if (ignore) throw new AppError('conflict', `The cluster ${name} is ignored`);
    const connection = directory.connectionTo(provider_id);
    // Reads of a cluster that does not answer would occupy slots until their deadlines.
    if (not_ok_reason !== null) {
      throw unavailable(
        `The cluster ${name} cannot be reached: ${not_ok_reason}. It is probed every ${probedEverySeconds} seconds; try again when it answers`,
        probedEverySeconds,
      );
    }
    if (!connection) {
      throw unavailable(
        `The cluster ${name} cannot be reached: no source of clusters names it now. Ask an operator to configure it again`,
        configuredWithinSeconds,
      );
    }
    using _slot = await takeSlot({ id: clusterId, name }, reader);
    try {
      return await work(connection.api);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const { helps, retryAfterSeconds } = whatHelps(error);
      const words = describeClusterFailure(error, connection.api.server);
      throw new AppError('unavailable', `The cluster ${name} cannot be read: ${words}; ${helps}`, {
        cause: error,
        retryAfterSeconds,
      });
    }
  };
}

const unavailable = (words: string, retryAfterSeconds: number) =>
  new AppError('unavailable', words, { retryAfterSeconds });

function whatHelps(error: unknown): { helps: string; retryAfterSeconds: number } {
  const { status = 0, retryAfterMs = null } = error instanceof KubeError ? error : {};
  if (status === 401 || status === 403) {
    return { helps: 'an operator has to renew or extend it', retryAfterSeconds: configuredWithinSeconds };
  }
  return { helps: 'try again', retryAfterSeconds: Math.min(retryAfterMs ?? 5_000, longestRetryAfterMs) / 1_000 };
}
