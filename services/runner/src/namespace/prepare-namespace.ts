import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { ClusterClient, NewNamespace } from '../cluster/cluster-client.ts';
import type { TaskLog } from '../log/task-log.ts';
import { transient } from '../outcome/task-failure.ts';
import { type Observed, observeRelease } from '../release/observe-release.ts';
import { allEnded } from '../waiting/all-ended.ts';
import { countPending } from '../waiting/count-pending.ts';
import { belongsTo, foreignNamespace, isTerminating } from './deployment-namespace.ts';
import { holderOf, takeFence } from './namespace-fence.ts';

/** After this the task waits in the queue instead, without blocking other tasks. */
const terminatingWaitMs = 15_000;

interface Run {
  task: ClaimedTask;
  lease: Pick<ClaimLease, 'confirm'>;
  log: Pick<TaskLog, 'say'>;
  stop: AbortSignal;
}

export interface PreparedNamespace {
  /** What Helm has recorded in it. */
  observed: Observed;
  /** Whether the cluster's answer that names this claim was the last one of the preparation. */
  isFenceLast: boolean;
}

/** Creates or finds the namespace of the deployment, takes its fence and observes the release in it. */
export async function prepareNamespace(run: Run, cluster: ClusterClient): Promise<PreparedNamespace> {
  const { task, stop } = run;
  // A first install rarely finds a namespace, so it does not wait for the answer that there is none.
  if (task.is_first && (await createNamespace(run, cluster))) return created;

  const giveUpAt = performance.now() + terminatingWaitMs;
  for (;;) {
    const entered = await enterNamespace(run, cluster);
    if (entered) return entered;
    if (await createNamespace(run, cluster)) return created;
    if (performance.now() > giveUpAt) throw transient(`The namespace ${task.namespace} is still being deleted`);
    await delay(250, undefined, { signal: stop });
  }
}

const created: PreparedNamespace = { observed: { status: 'absent' }, isFenceLast: true };

/** Null if there is no namespace, or a terminating one. */
async function enterNamespace({ task, lease }: Run, cluster: ClusterClient): Promise<PreparedNamespace | null> {
  // Reads go out together, because a person waits for this.
  const observing = observeRelease(cluster, task.namespace);
  const pending = countPending([observing]);

  const found = await cluster.readNamespace(task.namespace);
  if (found === null || isTerminating(found)) return null;
  if (!belongsTo(found, task.deployment_id)) throw foreignNamespace(task);
  const taking = takeFence(task, { cluster, lease, found }).then(() => pending() === 0);
  const [observed, isFenceLast] = await allEnded([observing, taking]);
  return { observed, isFenceLast };
}

/** False: it exists already, and may be terminating. */
async function createNamespace({ task, log }: Run, cluster: ClusterClient): Promise<boolean> {
  const isNew = await cluster.createNamespace(namespaceOf(task));
  if (isNew) log.say(`created namespace ${task.namespace}`);
  return isNew;
}

const namespaceOf = (task: ClaimedTask): NewNamespace => ({
  metadata: {
    name: task.namespace,
    labels: managedLabels,
    annotations: {
      [namespaceAnnotations.deploymentId]: task.deployment_id,
      [namespaceAnnotations.claim]: holderOf(task),
      [namespaceAnnotations.deploymentName]: task.deployment_name,
      [namespaceAnnotations.kind]: task.kind,
    },
  },
});
