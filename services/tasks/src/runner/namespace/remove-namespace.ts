import { setTimeout as delay } from 'node:timers/promises';
import { causeOf } from '@berth/kube/causes/cause-of';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { permanent, transient } from '../outcome/task-failure.ts';
import { belongsTo } from './deployment-namespace.ts';

const goneWithinMs = 5 * 60_000;

export interface RemoveNamespaceDeps {
  cluster: ClusterClient;
  signal: AbortSignal;
  /** What is waited for, where the cluster says it. */
  says: (text: string) => void;
}

/** Deletes the deployment's namespace and waits until it is gone. */
export async function removeNamespace(
  task: ClaimedTask,
  { cluster, signal, says }: RemoveNamespaceDeps,
): Promise<void> {
  const existing = await cluster.readNamespace(task.namespace);
  if (existing === null) return;
  if (!belongsTo(existing, task.deployment_id)) {
    throw permanent(`The namespace ${task.namespace} does not belong to this deployment and was left unchanged`);
  }
  await cluster.deleteNamespace(task.namespace, existing.metadata.uid ?? '');

  const giveUpAt = performance.now() + goneWithinMs;
  for (
    let namespace = await cluster.readNamespace(task.namespace);
    namespace !== null && belongsTo(namespace, task.deployment_id);
  ) {
    const held = causeOf('Namespace', namespace);
    if (performance.now() > giveUpAt) {
      const why = held?.message ?? 'an object in it has a finalizer';
      throw transient(`The namespace ${task.namespace} still exists after 5 minutes: ${why}`);
    }
    // That it is being deleted is no reason.
    if (held && held.cause !== 'Terminating') says(`Waiting for the namespace ${task.namespace}: ${held.message}`);
    await delay(200, undefined, { signal });
    namespace = await cluster.readNamespace(task.namespace);
  }
}
