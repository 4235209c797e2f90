import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import type { AccountRepository } from './account-repository.ts';
import { deployerAccount, paths } from './deployer-account.ts';

export interface RemoveAccountDeps {
  readonly accountRepository: Pick<AccountRepository, 'isRecorded' | 'remove'>;
  readonly deployersNamespace: string;
}

const deadlineMs = 5_000;

/** Deletes the account of a deployment in a cluster, which revokes its tokens, and then forgets it. */
export async function removeAccount(
  { accountRepository, deployersNamespace }: RemoveAccountDeps,
  { clusterId, api }: { clusterId: string; api: Pick<KubeApi, 'deleteJson'> },
  { deploymentId, signal }: { deploymentId: string; signal: AbortSignal },
): Promise<void> {
  if (!(await accountRepository.isRecorded(clusterId, deploymentId))) return;
  const path = paths.account(deployerAccount(deployersNamespace, deploymentId));
  await nullIfMissing(api.deleteJson(path, {}, { signal, deadlineMs }));
  await accountRepository.remove(clusterId, deploymentId);
}
