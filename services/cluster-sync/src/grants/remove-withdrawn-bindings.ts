import { backOffMs } from '@berth/contracts/back-off';
import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import type { BindingRepository } from './binding-repository.ts';
import { pathOfBinding } from './granted-binding.ts';

export interface RemoveBindingsDeps {
  readonly bindingRepository: Pick<BindingRepository, 'withdrawUnwanted' | 'toRemove' | 'removed' | 'forget'>;
  readonly log: Service['log'];
}

interface Cluster {
  readonly id: string;
  readonly api: Pick<KubeApi, 'deleteJson' | 'getJson' | 'patchJson'>;
}

const everyMs = 2_000;
const deadlineMs = 5_000;
const retries = { firstMs: 2_000, longestMs: 60_000, jitter: 0.3 };

/** Removes the bindings of a cluster whose grant was revoked or whose deployment is gone, until the signal aborts. */
export async function removeWithdrawnBindings(
  deps: RemoveBindingsDeps,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const trouble = troubleLog(deps.log, 'removing bindings of revoked grants fails');
  let failures = 0;
  while (!signal.aborted) {
    try {
      await removeOnce(deps, cluster, signal);
      failures = 0;
      trouble.fine();
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      trouble.failed(error);
    }
    await pause(failures === 0 ? everyMs * (0.9 + Math.random() * 0.2) : backOffMs(retries, failures), signal);
  }
}

/** A binding that cannot be removed does not prevent the removal of the others. */
export async function removeOnce(
  { bindingRepository }: Pick<RemoveBindingsDeps, 'bindingRepository'>,
  { id, api }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  await bindingRepository.withdrawUnwanted(id);
  const failed: unknown[] = [];
  for (const binding of await bindingRepository.toRemove(id)) {
    if (signal.aborted) return;
    try {
      if (!(await isRemoved(api, pathOfBinding(binding), signal))) continue;
      await (binding.is_final ? bindingRepository.forget(binding.id) : bindingRepository.removed(binding.id));
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}

/** A chart may set finalizers on bindings in its namespace: such a binding stays, and gives its rights, until they are gone. */
async function isRemoved(api: Cluster['api'], path: string, signal: AbortSignal): Promise<boolean> {
  const call = { signal, deadlineMs };
  await nullIfMissing(api.deleteJson(path, {}, call));
  if ((await nullIfMissing(api.getJson(path, call))) === null) return true;
  await nullIfMissing(api.patchJson(path, { metadata: { finalizers: null } }, call));
  return false;
}
