import { inSpan } from '@berth/shared/service/trace-context';
import { deployArguments } from '../helm/helm-arguments.ts';
import { applySecrets, readSecrets } from '../namespace/apply-secrets.ts';
import { enterNamespace } from '../namespace/enter-namespace.ts';
import { explainPods } from './explain-pods.ts';
import { nextAction } from './next-action.ts';
import { fenceLabel, taskLabel } from '../release/observe-release.ts';
import { repairRelease } from './repair-release.ts';
import { runHelm } from './run-helm.ts';
import type { TaskRun } from './task-run.ts';
import { permanent, TaskFailure } from '../outcome/task-failure.ts';
import { unlessStopped } from '../waiting/unless-stopped.ts';
import { valuesYaml } from '../files/values-yaml.ts';

interface HelmFiles {
  kubeconfig: string;
  values: string;
  chart: string;
}

/** Brings the release to what the task says: observe, decide, act. Safe to run again from any point it was cut off at. */
export async function deploy(context: TaskRun): Promise<void> {
  const { task, client, log, stop } = context;
  const { chart } = task;
  if (!chart) throw permanent('The task names no chart');

  // What Helm needs is fetched and written while the cluster is asked.
  const preparing = prepareFiles(context, chart);
  const reading = readSecrets(task, client);
  reading.catch(() => undefined);
  try {
    const observed = await inSpan('prepare namespace', () => enterNamespace(context));
    const action = nextAction({ action: 'deploy', taskId: task.task_id }, observed);
    if (action === 'adopt') return log.say('the release is there already from an earlier attempt of this task');
    if (action === 'refuse') throw permanent(`The Helm release ${task.namespace} cannot be read; it was not touched`);
    if (action === 'unlock') {
      log.say(`the release is ${observed.status}: a run was cut off; it is set to failed and run again`);
      await repairRelease(context);
    }
    stop.throwIfAborted();
    await applySecrets(task, { cluster: client, found: await reading });
    const files = await unlessStopped(preparing, stop);
    await upgrade(context, files);
  } finally {
    // Nothing may write into the folder of the task once that is removed.
    await preparing.written;
  }
}

/** `written` is the end of all writing; the archive of the chart is not waited for. */
function prepareFiles({ task, folder, kubeconfig, charts }: TaskRun, chart: NonNullable<TaskRun['task']['chart']>) {
  const writing = Promise.all([
    folder.write('kubeconfig', kubeconfig),
    folder.write('values.yaml', valuesYaml(task.values)),
  ]);
  const files = Promise.all([writing, charts.path(chart, task)]).then(
    ([[config, values], archive]): HelmFiles => ({ kubeconfig: config, values, chart: archive }),
  );
  files.catch(() => undefined);
  return Object.assign(files, { written: writing.catch(() => undefined) });
}

async function upgrade(context: TaskRun, files: HelmFiles): Promise<void> {
  const { task } = context;
  const labels = { [taskLabel]: task.task_id, [fenceLabel]: String(task.fence) };
  const title = `helm upgrade --install ${task.namespace}, chart version ${task.chart?.version ?? '?'}`;
  try {
    await inSpan('helm upgrade', () => runHelm(title, deployArguments(task, files, labels), context));
  } catch (error) {
    await tellPods(context);
    throw error;
  }
}

/** Best effort: a failure to look must not hide the failure that is looked into. */
async function tellPods({ task, client, log, stop }: TaskRun): Promise<void> {
  if (stop.aborted) return;
  const pods = await client.listPods(task.namespace).catch((error: unknown) => {
    if (error instanceof TaskFailure) return [];
    throw error;
  });
  for (const line of explainPods(pods)) log.say(line);
}
