import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import type { AccountRepository } from './account-repository.ts';
import { removeAccount, type RemoveAccountDeps } from './remove-account.ts';

export interface RemoveUnusedAccountsDeps extends RemoveAccountDeps {
  readonly accountRepository: Pick<AccountRepository, 'usedAt' | 'remove' | 'unusedIn'>;
  readonly log: Service['log'];
  readonly everyMs: number;
}

/** Longer than a plan or the first steps of a task take. */
const unusedMs = 15 * 60_000;

/** Removes accounts that an interrupted uninstall left behind, or that only plans used. */
export async function removeUnusedAccounts(
  deps: RemoveUnusedAccountsDeps,
  { id: clusterId, api }: { id: string; api: KubeApi },
  signal: AbortSignal,
): Promise<void> {
  const { accountRepository, log, everyMs } = deps;
  const trouble = troubleLog(log, 'removing unused accounts of deployments fails');
  const removeUnused = async () => {
    for (const { deployment_id: deploymentId, used_at: lastUsed } of await accountRepository.unusedIn(
      clusterId,
      unusedMs,
    ))
      await removeAccount(deps, { clusterId, api }, { deploymentId, lastUsed, signal });
  };
  while (!signal.aborted) {
    await removeUnused().then(trouble.fine, (error: unknown) => signal.aborted || trouble.failed(error));
    await pause(everyMs * (0.9 + Math.random() * 0.2), signal);
  }
}
