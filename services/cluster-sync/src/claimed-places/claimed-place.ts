import type { Bus } from '@berth/bus/bus';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError, found } from '@berth/contracts/errors';
import type { z } from 'zod';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory, Connection } from '../discovery/cluster-directory.ts';

export interface ClaimedPlaceDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  /** Clusters, by `provider_id`, that an operator still lists in a removed setting. */
  readonly ownCredentials: ReadonlySet<string>;
}

type Answer = z.output<typeof taskClaims.operations.get.response>;

type Claimed = Omit<Answer, 'env_id' | 'kind_id' | 'task'> & {
  env_id: string;
  kind_id: string;
  task: NonNullable<Answer['task']> | null;
};

/** A valid claim with its place, and the connection to its cluster. */
export interface ClaimedPlace {
  readonly claim: Claimed;
  readonly providerId: string;
  readonly connection: Connection;
  /** The readers of the task do not see the cluster: the deployment leaves it for another env. */
  readonly isOfOtherEnv: boolean;
}

type Addressed = Pick<ClaimedPlace, 'connection' | 'isOfOtherEnv'>;

/** Why a call to the cluster failed, without its address where the readers of the task do not see the cluster. */
export const describeFailureAt = (place: Addressed, error: unknown): string =>
  withoutAddress(place, describeClusterFailure(error, place.connection.api.server));

export const withoutAddress = ({ connection: { api }, isOfOtherEnv }: Addressed, words: string): string =>
  isOfOtherEnv ? words.replaceAll(new URL(api.server).host, 'its API server') : words;

/** Asks the owner of the claim: a runner can choose neither deployment nor place. */
export async function claimedPlace(
  { bus, clusterRepository, directory, ownCredentials }: ClaimedPlaceDeps,
  body: { task_id: string; fence: number },
  requestId: string,
): Promise<ClaimedPlace> {
  const claim = await bus.call(taskClaims.operations.get, { body }, { requestId });
  const { env_id, kind_id, task } = claim;
  if (env_id === undefined || kind_id === undefined || task === undefined)
    throw new AppError('unavailable', 'The service tasks is of the version before; the task waits for its upgrade');
  const cluster = found(await clusterRepository.find(claim.cluster_id, 'all'), k8sClusters.singular);
  const { provider_id, ignore } = cluster;
  const isOfOtherEnv = cluster.env_id !== env_id;
  const which = isOfOtherEnv ? 'its cluster' : `the cluster ${cluster.name}`;
  // Tasks of an ignored cluster wait, so one that was claimed just before must be retried.
  if (ignore) throw new AppError('unavailable', `Nothing is done on ${which} while it is ignored`);
  if (ownCredentials.has(provider_id))
    throw new AppError(
      'unavailable',
      `CLUSTER_RUNNER_OWN_CREDENTIALS names ${which} and no longer exists: deployments deploy as accounts of their own. Remove the setting`,
    );
  const connection = directory.connectionTo(provider_id);
  if (!connection)
    throw new AppError('unavailable', `No source of clusters names ${which} now, or its configuration is refused`);
  return { claim: { ...claim, env_id, kind_id, task }, providerId: provider_id, connection, isOfOtherEnv };
}
