import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import type { AccountRepository } from './account-repository.ts';
import { deployerAccount, paths } from './deployer-account.ts';

export interface RemoveAccountDeps {
  readonly accountRepository: Pick<AccountRepository, 'usedAt' | 'remove'>;
  readonly deployersNamespace: string;
}

const deadlineMs = 5_000;

/**
 * Deletes the account of a deployment in a cluster, which revokes its tokens, and then forgets it. With `lastUsed` only if it has not
 * been used since: a claim that just recorded its use may be about to create the account, which then needs its record.
 */
export async function removeAccount(
  { accountRepository, deployersNamespace }: RemoveAccountDeps,
  { clusterId, api }: { clusterId: string; api: Pick<KubeApi, 'deleteJson'> },
  { deploymentId, lastUsed, signal }: { deploymentId: string; lastUsed?: string; signal: AbortSignal },
): Promise<void> {
  const usedAt = await accountRepository.usedAt(clusterId, deploymentId);
  if (usedAt === null || (lastUsed !== undefined && lastUsed !== usedAt)) return;
  const path = paths.account(deployerAccount(deployersNamespace, deploymentId));
  await nullIfMissing(api.deleteJson(path, {}, { signal, deadlineMs }));
  // A claim that uses it meanwhile makes the account again, which then needs its record.
  await accountRepository.remove(clusterId, deploymentId, usedAt);
}
