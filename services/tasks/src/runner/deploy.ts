import { deployArguments } from '../helm/helm-arguments.ts';
import { applySecrets } from './apply-secrets.ts';
import { checkClusterLease, takeClusterLease } from './cluster-lease.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { explainPods } from './explain-pods.ts';
import { nextAction } from './next-action.ts';
import { fenceLabel, observeRelease, taskLabel, unlockRelease } from './observe-release.ts';
import { runHelm } from './run-helm.ts';
import type { TaskContext } from './task-context.ts';
import { permanent, TaskFailure } from './task-failure.ts';

/** Brings the release to what the task says: observe, decide, act. Safe to run again from any point it was cut off at. */
export async function deploy(context: TaskContext): Promise<void> {
  const { task, cluster, log, charts, stop } = context;
  if (!task.chart) throw permanent('The task names no chart');

  // The archive is fetched while the namespace is made.
  const archive = charts.path(task.chart);
  archive.catch(() => undefined);

  const namespace = await ensureNamespace(task, { cluster: cluster.client, signal: stop });
  if (namespace === 'created') log.say(`created namespace ${task.namespace}`);
  const [observed] = await Promise.all([
    observeRelease(cluster.client, task.namespace),
    takeClusterLease(task, cluster.client),
  ]);

  const action = nextAction({ action: 'deploy', taskId: task.task_id }, observed);
  if (action === 'adopt') return log.say('the release is there already from an earlier attempt of this task');
  if (action === 'refuse') throw permanent(`The Helm release ${task.namespace} cannot be read; it was not touched`);
  if (action === 'unlock') {
    log.say(`the release is ${observed.status}: a run was cut off; it is set to failed and run again`);
    await repair(context);
  }
  await applySecrets(task, cluster.client);
  await upgrade(context, await archive);
}

async function upgrade(context: TaskContext, chart: string): Promise<void> {
  const { task, folder, cluster } = context;
  const [kubeconfig, values] = await Promise.all([
    folder.write('kubeconfig', cluster.kubeconfig),
    // JSON is YAML, and leaves no doubt about what is a string.
    folder.write('values.json', JSON.stringify(task.values)),
  ]);
  const labels = { [taskLabel]: task.task_id, [fenceLabel]: String(task.fence) };

  const title = `helm upgrade --install ${task.namespace}, chart version ${task.chart?.version ?? '?'}`;
  await runHelm(title, deployArguments(task, { kubeconfig, chart, values }, labels), context).catch(
    async (error: unknown) => {
      await tellPods(context);
      throw error;
    },
  );
}

/** Sets a release that is stuck in `pending-*` to failed, if it is and the claim is still ours. */
export async function repair({ task, cluster }: TaskContext): Promise<void> {
  const observed = await observeRelease(cluster.client, task.namespace);
  if (!observed.status.startsWith('pending-')) return;
  await checkClusterLease(task, cluster.client);
  await unlockRelease(cluster.client, task.namespace);
}

/** Best effort: a failure to look must not hide the failure that is looked into. */
async function tellPods({ task, cluster, log, stop }: TaskContext): Promise<void> {
  if (stop.aborted) return;
  const pods = await cluster.client.listPods(task.namespace).catch((error: unknown) => {
    if (error instanceof TaskFailure) return [];
    throw error;
  });
  for (const line of explainPods(pods)) log.say(line);
}
