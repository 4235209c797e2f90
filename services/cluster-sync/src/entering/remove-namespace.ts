import { causeOf } from '@berth/kube/causes/cause-of';
import { AppError } from '@berth/contracts/errors';
import { nullIfChanged, nullIfMissing } from '@berth/kube/kube-error';
import { removeAccount, type RemoveAccountDeps } from '../access/remove-account.ts';
import { type FoundNamespace, foundNamespace } from '../namespaces/found-namespace.ts';
import type { BindingRepository } from '../grants/binding-repository.ts';
import type { ChangedMetadata, NamespaceRecord } from '../namespaces/namespace-record.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { namespacePath } from '../namespaces/read-namespace.ts';
import type { ClaimedPlace } from '../claimed-places/claimed-place.ts';
import { enterStep } from './enter-step.ts';
import { leaveNamespace } from './leave-namespace.ts';
import type { FencedClaim } from './fence-step.ts';
import { removeStep } from './remove-step.ts';
import { takenOver } from './take-fence.ts';

export interface RemoveDeps extends RemoveAccountDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find' | 'insert' | 'replace' | 'remove' | 'isIn'>;
  readonly bindingRepository: Pick<BindingRepository, 'withdrawFrom'>;
}

interface Removing extends FencedClaim {
  readonly signal: AbortSignal;
}

const deadlineMs = 5_000;

/**
 * One step of the deletion of a deployment's namespace. Only the version that was read is deleted, since a later claim may have
 * installed something meanwhile. Once the namespace is gone, its record, account and bindings are removed too.
 */
export async function removeNamespace(
  deps: RemoveDeps,
  { claim, connection: { api } }: ClaimedPlace,
  { signal, ...fenced }: Removing,
): Promise<{ gone: boolean; waits_for: string | null }> {
  const { cluster_id: clusterId, deployment_id, namespace: name } = claim;
  if (claim.task?.action !== 'uninstall')
    throw new AppError('forbidden', 'Only an uninstall removes the namespace of its deployment');
  const { namespaceRepository } = deps;
  const at = { clusterId, name };
  const [record, object] = await Promise.all([
    namespaceRepository.find(at),
    nullIfMissing(api.getJson(namespacePath(name), { signal, deadlineMs })),
  ]);
  const found = object === null ? null : foundNamespace(object);
  const known = await learned(record, found);

  switch (removeStep(known, found, { ...fenced, deployment_id })) {
    case 'gone':
      await leave(known);
      return { gone: true, waits_for: null };
    case 'taken over':
      throw takenOver();
    case 'delete':
      if (!found) return { gone: false, waits_for: null };
      if (known?.adopted) return { gone: await giveBack(found, known.adopted), waits_for: null };
      await remove(found);
      return { gone: false, waits_for: null };
    default: {
      const held = causeOf('Namespace', object);
      // "It is being deleted" alone does not explain the wait.
      return { gone: false, waits_for: held && held.cause !== 'Terminating' ? held.message : null };
    }
  }

  /** Records the uid of a namespace that has been terminating since before this version entered it. */
  async function learned(read: NamespaceRecord | null, seen: FoundNamespace | null): Promise<NamespaceRecord | null> {
    const isFirst = claim.task?.is_first ?? false;
    if (!seen || enterStep(read, seen, { deployment_id, makes: false, isFirst, adopts: false }) !== 'learn')
      return read;
    const next = { deployment_id, mark: read?.mark ?? null, uid: seen.uid, adopted: read?.adopted ?? null };
    return read ? namespaceRepository.replace(at, read, next) : namespaceRepository.insert(at, next);
  }

  /** An adopted namespace stays. While the deployment may be installed there again, it also stays on record as its own. */
  async function giveBack(seen: FoundNamespace, adopted: ChangedMetadata): Promise<boolean> {
    const isLeft = await leaveNamespace(api, seen, adopted, signal);
    if (isLeft && !(claim.task?.keeps_place ?? false)) await leave(known);
    return isLeft;
  }

  async function remove({ uid, resourceVersion }: FoundNamespace): Promise<void> {
    const options = { propagationPolicy: 'Foreground', preconditions: { uid, resourceVersion } };
    // If the namespace was changed since it was read, the next step reads it again.
    await nullIfChanged(nullIfMissing(api.deleteJson(namespacePath(name), options, { signal, deadlineMs })));
  }

  async function leave(left: NamespaceRecord | null): Promise<void> {
    // A loop removes the bindings outside of the namespace.
    await deps.bindingRepository.withdrawFrom({ clusterId, namespace: name, deploymentId: deployment_id });
    if (left?.deployment_id === deployment_id) await namespaceRepository.remove(at, left);
    if (await namespaceRepository.isIn(clusterId, deployment_id)) return;
    await removeAccount(deps, { api, clusterId }, { deploymentId: deployment_id, signal });
  }
}
