import { holderOf, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { AppError } from '@berth/contracts/errors';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfChanged, nullIfMissing } from '@berth/kube/kube-error';
import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { hasLabels } from '../namespaces/pod-security.ts';
import { namespacePath, readNamespace } from '../namespaces/read-namespace.ts';
import { type FencedClaim, fenceStep } from './fence-step.ts';

export interface TakeFence {
  readonly api: Pick<KubeApi, 'getJson' | 'patchJson'>;
  /** The deployment's namespace, as it was read or made. */
  readonly found: FoundNamespace;
  readonly labels: Readonly<Record<string, string | null>>;
  /** Written with the fence; null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Throws when the claim is over. */
  confirm(): Promise<unknown>;
  readonly signal: AbortSignal;
}

const deadlineMs = 5_000;

/**
 * Fences at the cluster itself: the namespace names the claim that may act in it. A claim takes it by compare-and-swap before Helm
 * starts, so that a runner that slept through the loss of its claim learns of it in time. Labels are written with it.
 */
export async function takeFence(
  claim: FencedClaim,
  { api, found, labels, annotations, confirm, signal }: TakeFence,
): Promise<void> {
  let namespace = found;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const step = fenceStep(namespace.holder, claim);
    if (step === 'taken over') throw takenOver();
    if (step === 'held' && hasLabels(namespace.labels, labels)) return;
    // The holder is an earlier task – or a later one, if this runner was paused. Confirmed after the read: if another claim takes the
    // namespace after this confirmation, the swap below fails.
    await confirm();
    if (await swap(namespace)) return;

    const again = await readNamespace(api, namespace.name, signal);
    if (again?.uid !== found.uid || again.isTerminating)
      throw new AppError('unavailable', `The namespace ${found.name} was deleted while the task started`);
    namespace = again;
  }
  throw new AppError(
    'unavailable',
    `The namespace ${found.name} was changed by others each time the task tried to take it`,
  );

  /** Returns false if the namespace was changed or deleted since it was read. */
  async function swap({ name, uid, resourceVersion }: FoundNamespace): Promise<boolean> {
    const named = { ...annotations, [namespaceAnnotations.claim]: holderOf(claim) };
    const patch = { metadata: { uid, resourceVersion, annotations: named, labels } };
    const swapping = api.patchJson(namespacePath(name), patch, { signal, deadlineMs });
    return (await nullIfChanged(nullIfMissing(swapping))) !== null;
  }
}

export const takenOver = () => new AppError('unavailable', 'Another runner has taken over this task');
