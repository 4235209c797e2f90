import { implement } from '@berth/shared/bus/implement';
import { clusterAccess } from '@berth/shared/contracts/cluster-access';
import { k8sClusters } from '@berth/shared/contracts/k8s-clusters';
import { AppError, found } from '@berth/shared/errors';
import type { ClusterRepository } from '../clusters/cluster-repository.ts';
import type { ClusterDirectory } from '../discovery/cluster-directory.ts';
import { issueAccess } from './issue-access.ts';

export interface ClusterAccessHandlersDeps {
  readonly clusterRepository: Pick<ClusterRepository, 'find'>;
  readonly directory: Pick<ClusterDirectory, 'connectionTo'>;
  readonly lifetimeSeconds: number;
}

export const clusterAccessHandlers = ({ clusterRepository, directory, lifetimeSeconds }: ClusterAccessHandlersDeps) =>
  implement(clusterAccess, {
    issue: async ({ body }, { signal, caller, log }) => {
      const { provider_id, name } = found(await clusterRepository.find(body.cluster_id, 'all'), k8sClusters.singular);
      const connection = directory.connectionTo(provider_id);
      if (!connection) throw new AppError('unavailable', `The cluster ${name} is not configured here, or refused`);

      const issued = await issueAccess({ connection, lifetimeSeconds, signal });
      log.info({ cluster_id: body.cluster_id, caller, expires_at: issued.expires_at }, 'access to a cluster issued');
      return issued;
    },
  });
