import { setTimeout as delay } from 'node:timers/promises';
import { causeOf } from '@berth/kube/causes/cause-of';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { permanent, transient } from '../outcome/task-failure.ts';
import { belongsTo } from './deployment-namespace.ts';

const goneWithinMs = 5 * 60_000;

/** Deletes the deployment's namespace and waits until it is gone. */
export async function removeNamespace(
  task: ClaimedTask,
  { cluster, signal }: { cluster: ClusterClient; signal: AbortSignal },
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
    if (performance.now() > giveUpAt) {
      const held = causeOf('Namespace', namespace)?.message ?? 'an object in it has a finalizer';
      throw transient(`The namespace ${task.namespace} still exists after 5 minutes: ${held}`);
    }
    await delay(200, undefined, { signal });
    namespace = await cluster.readNamespace(task.namespace);
  }
}
