import { allEnded } from './all-ended.ts';
import { readClusterLease, takeClusterLease } from './cluster-lease.ts';
import { ensureNamespace, isGoing, isOurs } from './ensure-namespace.ts';
import type { Observed } from './next-action.ts';
import { observeRelease } from './observe-release.ts';
import type { TaskContext } from './task-context.ts';

/**
 * Makes the namespace of the deployment or finds it, takes the lease in it, and tells what Helm has recorded there.
 * All that only reads goes out at once: who waits here is a person who pressed a button.
 */
export async function enterNamespace({ task, client, lease, log, stop }: TaskContext): Promise<Observed> {
  const held = readClusterLease(task, client);
  const observing = observeRelease(client, task.namespace);
  // Of use only if the namespace is ours; else their failures are of no interest.
  held.catch(() => undefined);
  observing.catch(() => undefined);

  const namespace = await client.readNamespace(task.namespace);
  if (namespace && !isGoing(namespace) && isOurs(namespace, task.deployment_id)) {
    const take = async () => takeClusterLease(task, { cluster: client, lease, found: await held });
    const [observed] = await allEnded([observing, take()]);
    return observed;
  }

  const made = await ensureNamespace(task, { cluster: client, found: namespace, signal: stop });
  if (made === 'created') log.say(`created namespace ${task.namespace}`);
  await takeClusterLease(task, { cluster: client, lease, found: null });
  return made === 'created' ? { status: 'absent' } : observeRelease(client, task.namespace);
}
