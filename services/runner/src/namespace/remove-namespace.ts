import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@berth/bus/bus';
import { deploymentNamespaces } from '@berth/contracts/resources/clusters/deployment-namespaces';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { transient } from '../outcome/task-failure.ts';

const goneWithinMs = 5 * 60_000;
const again = { firstMs: 100, longestMs: 1_000 };

export interface RemoveNamespaceDeps {
  bus: Pick<Bus, 'call'>;
  signal: AbortSignal;
  /** Receives the cause of the wait, if the cluster reports one. */
  says: (text: string) => void;
}

/** Asks cluster-sync to delete the deployment's namespace, if it still names this claim, and waits until it is gone. */
export async function removeNamespace(
  { task_id, fence, namespace }: Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>,
  { bus, signal, says }: RemoveNamespaceDeps,
): Promise<void> {
  const step = () =>
    bus.call(deploymentNamespaces.operations.remove, { body: { task_id, fence } }, { deadlineMs: 20_000 });
  const giveUpAt = performance.now() + goneWithinMs;
  let ms = again.firstMs;
  for (let { gone, waits_for } = await step(); !gone; { gone, waits_for } = await step()) {
    if (performance.now() > giveUpAt) {
      const why = waits_for ?? 'an object in it has a finalizer';
      throw transient(`The namespace ${namespace} still exists after 5 minutes: ${why}`);
    }
    if (waits_for !== null) says(`Waiting for the namespace ${namespace}: ${waits_for}`);
    await delay(ms, undefined, { signal });
    ms = Math.min(ms * 1.5, again.longestMs);
  }
}
