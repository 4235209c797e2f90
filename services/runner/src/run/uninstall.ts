import { cutText } from '@berth/contracts/cut-text';
import { inSpan } from '@berth/service/trace-context';
import { uninstallArguments } from '../helm/helm-arguments.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import { shownText } from '../log/shown-text.ts';
import { isTerminating, refuseForeign } from '../namespace/deployment-namespace.ts';
import { takeFence } from '../namespace/namespace-fence.ts';
import { removeNamespace } from '../namespace/remove-namespace.ts';
import { observeRelease } from '../release/observe-release.ts';
import { allEnded } from '../waiting/all-ended.ts';
import { nextAction } from './next-action.ts';
import { runHelm } from './run-helm.ts';
import type { RunContext } from './run-context.ts';

/** `helm uninstall` first, so that hooks run and cluster-scoped objects are removed, then the namespace. */
export async function uninstall(run: RunContext, cluster: TaskCluster): Promise<void> {
  const { task, log, lease, secrets, stop } = run;
  const namespace = await cluster.client.readNamespace(task.namespace);
  if (namespace === null) return log.say(`the namespace ${task.namespace} is already gone`);
  refuseForeign(namespace, task);

  const hasBegun = !isTerminating(namespace) && (await removeRelease(run, cluster, namespace));
  if (!task.delete_namespace) return;
  // Until something is removed, a cancellation leaves no trace, so this counts as starting Helm does.
  if (!hasBegun) await run.lease.beginAttempt();
  stop.throwIfAborted();
  log.say(`deleting namespace ${task.namespace}`);
  const says = (text: string) => lease.waitsFor(cutText(shownText(text, secrets.texts()), 500));
  await inSpan('remove namespace', () => removeNamespace(task, { cluster: cluster.client, signal: stop, says }));
}

/** Whether there was one. */
async function removeRelease(run: RunContext, cluster: TaskCluster, found: Namespace): Promise<boolean> {
  const { task, log, lease, folder } = run;
  const { client } = cluster;
  const [observed, kubeconfig] = await allEnded([
    observeRelease(client, task.namespace),
    folder.write('kubeconfig', cluster.kubeconfig),
    takeFence(task, { cluster: client, lease, found }),
  ]);
  if (nextAction({ action: 'uninstall', taskId: task.task_id }, observed) !== 'uninstall') return false;
  const title = `helm uninstall ${task.namespace}`;
  // Helm would create the hooks that they name.
  const isForged = observed.status === 'unreadable';
  if (isForged) log.say('the release has records that Berth did not write: its hooks are not run');
  const args = uninstallArguments(task, { kubeconfig, hooks: !isForged });
  await inSpan('helm uninstall', () => runHelm(run, cluster, { title, args, isFenceFresh: false }));
  return true;
}
