import { implement } from '@berth/shared/bus/implement';
import { clusterAccess } from '@berth/shared/contracts/cluster-access';
import { k8sClusters } from '@berth/shared/contracts/k8s-clusters';
import { AppError, found } from '@berth/shared/errors';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';
import type { IssueAccess } from './access-issuer.ts';

export interface ClusterAccessHandlersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly issueAccess: IssueAccess;
}

export const clusterAccessHandlers = ({ clusterRepository, directory, issueAccess }: ClusterAccessHandlersDeps) =>
  implement(clusterAccess, {
    issue: async ({ body }, { signal, caller, log }) => {
      const { provider_id, name } = found(await clusterRepository.find(body.cluster_id, 'all'), k8sClusters.singular);
      const connection = directory.connectionTo(provider_id);
      if (!connection) throw new AppError('unavailable', `The cluster ${name} is not configured here, or refused`);

      const issued = await issueAccess(connection, signal);
      log.info({ cluster_id: body.cluster_id, caller, expires_at: issued.expires_at }, 'access to a cluster issued');
      return issued;
    },
  });
