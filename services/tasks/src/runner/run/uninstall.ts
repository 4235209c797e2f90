import { inSpan } from '@berth/shared/service/trace-context';
import { uninstallArguments } from '../helm/helm-arguments.ts';
import { allEnded } from '../waiting/all-ended.ts';
import { isGoing, isOurs } from '../namespace/deployment-namespace.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import { takeFence } from '../namespace/namespace-fence.ts';
import { nextAction } from './next-action.ts';
import { observeRelease } from '../release/observe-release.ts';
import { removeNamespace } from '../namespace/remove-namespace.ts';
import { runHelm } from './run-helm.ts';
import type { TaskRun } from './task-run.ts';
import { permanent } from '../outcome/task-failure.ts';

/** `helm uninstall` first, so that hooks run and cluster-scoped objects go, then the namespace. */
export async function uninstall(context: TaskRun): Promise<void> {
  const { task, client, log, stop } = context;
  const namespace = await client.readNamespace(task.namespace);
  if (namespace === null) return log.say(`the namespace ${task.namespace} is gone already`);
  if (!isOurs(namespace, task.deployment_id)) {
    throw permanent(`The namespace ${task.namespace} does not belong to this deployment and was left alone`);
  }

  if (!isGoing(namespace)) await removeRelease(context, namespace);
  if (!task.delete_namespace) return;
  stop.throwIfAborted();
  log.say(`deleting namespace ${task.namespace}`);
  await inSpan('remove namespace', () => removeNamespace(task, { cluster: client, signal: stop }));
}

async function removeRelease(context: TaskRun, found: Namespace): Promise<void> {
  const { task, client, lease, folder } = context;
  const [observed, kubeconfig] = await allEnded([
    observeRelease(client, task.namespace),
    folder.write('kubeconfig', context.kubeconfig),
    takeFence(task, { cluster: client, lease, found }),
  ]);
  if (nextAction({ action: 'uninstall', taskId: task.task_id }, observed) !== 'uninstall') return;
  const title = `helm uninstall ${task.namespace}`;
  await inSpan('helm uninstall', () => runHelm(title, uninstallArguments(task, { kubeconfig }), context));
}
