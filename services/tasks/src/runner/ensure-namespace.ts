import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import type { ClusterClient, NewNamespace } from './cluster-client.ts';
import type { Namespace } from './kube-objects.ts';
import { permanent, transient } from './task-failure.ts';

export const deploymentIdAnnotation = 'berth.dev/deployment-id';
const terminatingWaitMs = 60_000;

/** True when the namespace belongs to this very deployment. */
export const isOurs = (namespace: Namespace, deploymentId: string): boolean =>
  namespace.metadata.annotations?.[deploymentIdAnnotation] === deploymentId;

export const isGoing = (namespace: Namespace): boolean => namespace.status?.phase === 'Terminating';

const ofSomebodyElse = (name: string) =>
  permanent(
    `The namespace ${name} exists already and does not belong to this deployment; remove it or choose another name`,
  );

/** Makes the deployment's namespace, or finds it. One that is not ours is never adopted (decision 7). `found` was read before. */
export async function ensureNamespace(
  task: ClaimedTask,
  { cluster, found, signal }: { cluster: ClusterClient; found: Namespace | null; signal: AbortSignal },
): Promise<'created' | 'found'> {
  const giveUp = performance.now() + terminatingWaitMs;
  for (let existing = found; ; existing = await cluster.readNamespace(task.namespace)) {
    if (existing === null) {
      if (await cluster.createNamespace(namespaceOf(task))) return 'created';
    } else if (!isGoing(existing)) {
      if (!isOurs(existing, task.deployment_id)) throw ofSomebodyElse(task.namespace);
      return 'found';
    }
    if (performance.now() > giveUp) throw transient(`The namespace ${task.namespace} is still being deleted`);
    await delay(250, undefined, { signal });
  }
}

const namespaceOf = (task: ClaimedTask): NewNamespace => ({
  metadata: {
    name: task.namespace,
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: {
      [deploymentIdAnnotation]: task.deployment_id,
      'berth.dev/deployment-name': task.deployment_name,
      'berth.dev/kind': task.kind,
    },
  },
});
