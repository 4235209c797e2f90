import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError, found } from '@berth/contracts/errors';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';
import type { IssueAccess } from './access-issuer.ts';

export interface ClusterAccessHandlersDeps {
  readonly bus: Pick<Bus, 'call'>;
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly issueAccess: IssueAccess;
  /** Issues access to clusters, by `provider_id`, whose runners get the credential of the service itself. */
  readonly issueOwnAccess: IssueAccess;
  readonly ownCredentials: ReadonlySet<string>;
}

export const clusterAccessHandlers = (deps: ClusterAccessHandlersDeps) => {
  const { bus, clusterRepository, directory, issueAccess, issueOwnAccess, ownCredentials } = deps;

  return implement(clusterAccess, {
    issue: async ({ body }, { signal, caller, log, requestId }) => {
      const { cluster_id } = await bus.call(taskClaims.operations.get, { body }, { requestId });
      const { provider_id, name, ignore } = found(
        await clusterRepository.find(cluster_id, 'all'),
        k8sClusters.singular,
      );
      // Tasks of an ignored cluster wait, so one that was claimed just before must be retried.
      if (ignore) throw new AppError('unavailable', `The cluster ${name} is ignored`);
      const connection = directory.connectionTo(provider_id);
      if (!connection)
        throw new AppError(
          'unavailable',
          `No source of clusters names the cluster ${name} now, or its configuration is refused`,
        );

      const issue = ownCredentials.has(provider_id) ? issueOwnAccess : issueAccess;
      const issued = await issue(connection, signal);
      const { task_id } = body;
      log.info({ cluster_id, task_id, caller, expires_at: issued.expires_at }, 'access to a cluster issued');
      return issued;
    },
  });
};
