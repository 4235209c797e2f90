import { setTimeout as delay } from 'node:timers/promises';
import { causeOf } from '@berth/kube/causes/cause-of';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { transient } from '../outcome/task-failure.ts';
import { belongsTo, isTerminating, refuseForeign } from './deployment-namespace.ts';
import { checkHeld } from './namespace-fence.ts';

const goneWithinMs = 5 * 60_000;

export interface RemoveNamespaceDeps {
  cluster: Pick<ClusterClient, 'readNamespace' | 'deleteNamespace'>;
  signal: AbortSignal;
  /** What the deletion waits for, if the cluster reports it. */
  says: (text: string) => void;
}

/**
 * Deletes the deployment's namespace, if it still names this claim, and waits until it is gone. The deletion names the version that
 * was checked: a later claim may have installed something in it while this runner's machine slept.
 */
export async function removeNamespace(
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace' | 'deployment_id'>,
  { cluster, signal, says }: RemoveNamespaceDeps,
): Promise<void> {
  const existing = await cluster.readNamespace(task.namespace);
  if (existing) refuseForeign(existing, task);

  const giveUpAt = performance.now() + goneWithinMs;
  for (
    let namespace = existing;
    namespace !== null && belongsTo(namespace, task.deployment_id);
    namespace = await cluster.readNamespace(task.namespace)
  ) {
    const held = causeOf('Namespace', namespace);
    if (performance.now() > giveUpAt) {
      const why = held?.message ?? 'an object in it has a finalizer';
      throw transient(`The namespace ${task.namespace} still exists after 5 minutes: ${why}`);
    }
    // "It is being deleted" alone is not a reason.
    if (held && held.cause !== 'Terminating') says(`Waiting for the namespace ${task.namespace}: ${held.message}`);
    if (!isTerminating(namespace)) {
      checkHeld(namespace, task);
      await cluster.deleteNamespace(namespace);
    }
    await delay(200, undefined, { signal });
  }
}
