import type { KubeAccess } from '@berth/kube/kube-access';
import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import type { Account } from '../bindings/role-binding.ts';
import type { AccountRepository } from './account-repository.ts';
import { accountWithoutRights, deployerAccount } from './deployer-account.ts';
import { issueToken, issueTokenOfOwn } from './issue-token.ts';
import { kubeconfigOf } from './kubeconfig-of.ts';
import type { PrepareCluster } from './prepare-cluster.ts';

export interface AccessDeps {
  readonly accountRepository: Pick<AccountRepository, 'use'>;
  readonly prepareCluster: PrepareCluster;
  readonly deployersNamespace: string;
  /** Transition: the account that deployments share in clusters which the settings name. */
  readonly sharedAccount: Account;
  /** The longest lifetime of an access. */
  readonly accessSeconds: number;
}

export interface AccessPlace {
  readonly clusterId: string;
  readonly api: KubeApi;
  readonly access: KubeAccess;
  readonly isShared: boolean;
}

export interface AccessWanted {
  readonly deploymentId: string;
  readonly seconds: number;
  /** The claim has no namespace to act in. */
  readonly isWithoutRights: boolean;
  readonly signal: AbortSignal;
}

interface IssuedAccess {
  /** Never log it, never store it. */
  readonly kubeconfig: string;
  readonly expires_at: string;
}

/** A kubeconfig with a token for one claim. The token is of the deployment's own account, which is recorded before it is created. */
export async function issueAccess(
  deps: AccessDeps,
  { clusterId, api, access, isShared }: AccessPlace,
  { deploymentId, isWithoutRights, ...wanted }: AccessWanted,
): Promise<IssuedAccess> {
  const { accountRepository, prepareCluster, deployersNamespace, sharedAccount, accessSeconds } = deps;
  const options = { seconds: Math.min(wanted.seconds, accessSeconds), signal: wanted.signal };

  async function tokenOfOwn() {
    const account = isWithoutRights
      ? accountWithoutRights(deployersNamespace)
      : deployerAccount(deployersNamespace, deploymentId);
    const use = async () => !isWithoutRights && accountRepository.use(clusterId, deploymentId);
    const [isNew] = await Promise.all([use(), prepareCluster(api)]);
    // A removal may have forgotten the account just before it was created again.
    return issueTokenOfOwn(api, account, { ...options, isNew, onMade: use }).catch((error: unknown) => {
      if (error instanceof KubeError && error.status === 404) prepareCluster.forget(api);
      throw error;
    });
  }

  const { token, expiresAt } = isShared ? await issueToken(api, sharedAccount, options) : await tokenOfOwn();
  return { kubeconfig: kubeconfigOf(access, token), expires_at: expiresAt };
}
