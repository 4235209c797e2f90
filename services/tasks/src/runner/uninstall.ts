import { uninstallArguments } from '../helm/helm-arguments.ts';
import { takeClusterLease } from './cluster-lease.ts';
import { isOurs } from './ensure-namespace.ts';
import { nextAction } from './next-action.ts';
import { observeRelease } from './observe-release.ts';
import { removeNamespace } from './remove-namespace.ts';
import { runHelm } from './run-helm.ts';
import type { TaskContext } from './task-context.ts';
import { permanent } from './task-failure.ts';

/** `helm uninstall` first, so that hooks run and cluster-scoped objects go, then the namespace. */
export async function uninstall(context: TaskContext): Promise<void> {
  const { task, cluster, log, folder, stop } = context;
  const namespace = await cluster.client.readNamespace(task.namespace);
  if (namespace === null) return log.say(`the namespace ${task.namespace} is gone already`);
  if (!isOurs(namespace, task.deployment_id)) {
    throw permanent(`The namespace ${task.namespace} does not belong to this deployment and was left alone`);
  }

  if (namespace.status?.phase !== 'Terminating') {
    const [observed] = await Promise.all([
      observeRelease(cluster.client, task.namespace),
      takeClusterLease(task, cluster.client),
    ]);
    if (nextAction({ action: 'uninstall', taskId: task.task_id }, observed) === 'uninstall') {
      const kubeconfig = await folder.write('kubeconfig', cluster.kubeconfig);
      await runHelm(`helm uninstall ${task.namespace}`, uninstallArguments(task, { kubeconfig }), context);
    }
  }
  if (!task.delete_namespace) return;
  log.say(`deleting namespace ${task.namespace}`);
  await removeNamespace(task, { cluster: cluster.client, signal: stop });
}
