import { implement } from '@berth/bus/rpc/implement';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import { AppError } from '@berth/contracts/errors';
import type { Account } from '../bindings/role-binding.ts';
import { type ClaimedPlaceDeps, claimedPlace, describeFailureAt } from '../claimed-places/claimed-place.ts';
import { issueToken } from './issue-token.ts';
import { kubeconfigOf } from './kubeconfig-of.ts';

export interface ClusterAccessHandlersDeps extends ClaimedPlaceDeps {
  readonly sharedAccount: Account;
  readonly accessSeconds: number;
  sharesAccount(providerId: string): boolean;
}

/** For runners of the previous version, until they are replaced: only in clusters that share an account for the transition. */
export const clusterAccessHandlers = ({
  sharedAccount,
  accessSeconds,
  sharesAccount,
  ...deps
}: ClusterAccessHandlersDeps) =>
  implement(clusterAccess, {
    issue: async ({ body }, { signal, caller, log, requestId }) => {
      const place = await claimedPlace(deps, body, requestId);
      const { claim, providerId, connection } = place;
      if (!sharesAccount(providerId))
        throw new AppError('unavailable', 'This runner is too old for the cluster; the task waits for an upgraded one');
      const { api, access } = connection;
      const { token, expiresAt } = await issueToken(api, sharedAccount, { seconds: accessSeconds, signal }).catch(
        (error: unknown) => {
          if (error instanceof AppError) throw error;
          const words = `The cluster issued no access: ${describeFailureAt(place, error)}`;
          throw new AppError('unavailable', words, { cause: error });
        },
      );
      const { cluster_id } = claim;
      log.info({ cluster_id, task_id: body.task_id, caller, expires_at: expiresAt }, 'access to a cluster issued');
      return { kubeconfig: kubeconfigOf(access, token), expires_at: expiresAt };
    },
  });
