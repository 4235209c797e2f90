import { inSpan } from '@berth/shared/service/trace-context';
import { applySecrets, readSecrets } from './apply-secrets.ts';
import { enterNamespace } from './enter-namespace.ts';
import { explainPods } from './explain-pods.ts';
import { nextAction } from './next-action.ts';
import { prepareHelm } from './prepare-helm.ts';
import { repair } from './repair.ts';
import type { ReadyHelm } from './run-helm.ts';
import type { TaskContext } from './task-context.ts';
import { permanent, TaskFailure } from './task-failure.ts';
import { unlessStopped } from './unless-stopped.ts';

/** Brings the release to what the task says: observe, decide, act. Safe to run again from any point it was cut off at. */
export async function deploy(context: TaskContext): Promise<void> {
  const { task, client, log, stop } = context;
  const { chart } = task;
  if (!chart) throw permanent('The task names no chart');

  // What Helm needs is fetched and written, and its process made, while the cluster is asked.
  await using preparing = prepareHelm(context, chart);
  const reading = readSecrets(task, client);
  reading.catch(() => undefined);
  const observed = await inSpan('prepare namespace', () => enterNamespace(context));
  const action = nextAction({ action: 'deploy', taskId: task.task_id }, observed);
  if (action === 'adopt') return log.say('the release is there already from an earlier attempt of this task');
  if (action === 'refuse') throw permanent(`The Helm release ${task.namespace} cannot be read; it was not touched`);
  if (action === 'unlock') {
    log.say(`the release is ${observed.status}: a run was cut off; it is set to failed and run again`);
    await repair(context);
  }
  stop.throwIfAborted();
  await applySecrets(task, { cluster: client, found: await reading });
  await upgrade(context, await unlessStopped(preparing.helm, stop));
}

async function upgrade(context: TaskContext, helm: ReadyHelm): Promise<void> {
  const { task } = context;
  const title = `helm upgrade --install ${task.namespace}, chart version ${task.chart?.version ?? '?'}`;
  try {
    await inSpan('helm upgrade', () => helm.run(title));
  } catch (error) {
    await tellPods(context);
    throw error;
  }
}

/** Best effort: a failure to look must not hide the failure that is looked into. */
async function tellPods({ task, client, log, stop }: TaskContext): Promise<void> {
  if (stop.aborted) return;
  const pods = await client.listPods(task.namespace).catch((error: unknown) => {
    if (error instanceof TaskFailure) return [];
    throw error;
  });
  for (const line of explainPods(pods)) log.say(line);
}
