import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import { allEnded } from '../waiting/all-ended.ts';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { ClusterClient, NewNamespace } from '../cluster/cluster-client.ts';
import type { TaskLog } from '../log/task-log.ts';
import { deploymentIdAnnotation, isGoing, isOurs, ofSomebodyElse } from './deployment-namespace.ts';
import { fenceAnnotation, holderOf, takeFence } from './namespace-fence.ts';
import { type Observed, observeRelease } from '../release/observe-release.ts';
import { transient } from '../outcome/task-failure.ts';

/** The task waits for the rest at its place in the queue, where it keeps no other one from running. */
const terminatingWaitMs = 15_000;

interface Entering {
  task: ClaimedTask;
  client: ClusterClient;
  lease: ClaimLease;
  log: Pick<TaskLog, 'say'>;
  stop: AbortSignal;
}

/** Makes the namespace of the deployment or finds it, takes its fence, and tells what Helm has recorded there. */
export async function enterNamespace(context: Entering): Promise<Observed> {
  const { task, stop } = context;
  // Where nothing was installed before there is hardly ever a namespace, so nobody waits for the answer that there is none.
  if (task.is_first && (await makeNamespace(context))) return { status: 'absent' };

  const giveUp = performance.now() + terminatingWaitMs;
  for (;;) {
    const observed = await enterExisting(context);
    if (observed) return observed;
    if (await makeNamespace(context)) return { status: 'absent' };
    if (performance.now() > giveUp) throw transient(`The namespace ${task.namespace} is still being deleted`);
    await delay(250, undefined, { signal: stop });
  }
}

/** Null where there is none, or one that is going. */
async function enterExisting({ task, client, lease }: Entering): Promise<Observed | null> {
  // All that only reads goes out at once: who waits here is a person who pressed a button.
  const observing = observeRelease(client, task.namespace);
  observing.catch(() => undefined);

  const found = await client.readNamespace(task.namespace);
  if (found === null || isGoing(found)) return null;
  if (!isOurs(found, task.deployment_id)) throw ofSomebodyElse(task);
  const [observed] = await allEnded([observing, takeFence(task, { cluster: client, lease, found })]);
  return observed;
}

/** False: there is one already, perhaps one that is still going. */
async function makeNamespace({ task, client, log }: Entering): Promise<boolean> {
  const made = await client.createNamespace(namespaceOf(task));
  if (made) log.say(`created namespace ${task.namespace}`);
  return made;
}

const namespaceOf = (task: ClaimedTask): NewNamespace => ({
  metadata: {
    name: task.namespace,
    labels: { 'app.kubernetes.io/managed-by': 'berth' },
    annotations: {
      [deploymentIdAnnotation]: task.deployment_id,
      [fenceAnnotation]: holderOf(task),
      'berth.dev/deployment-name': task.deployment_name,
      'berth.dev/kind': task.kind,
    },
  },
});
