import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import { deployArguments } from '../helm/helm-arguments.ts';
import { fenceLabel, taskLabel } from './observe-release.ts';
import { type ReadyHelm, readyHelm } from './run-helm.ts';
import type { TaskContext } from './task-context.ts';
import { transient } from './task-failure.ts';

/** What a deploy needs besides the cluster: files written, chart fetched, process made. */
export interface PreparedHelm extends AsyncDisposable {
  readonly helm: Promise<ReadyHelm>;
}

/** Begins at once and waits for nothing. Its disposal waits for all writing, since nothing may write into the folder of the task once that is removed. */
export function prepareHelm(context: TaskContext, chart: NonNullable<ClaimedTask['chart']>): PreparedHelm {
  const { task, folder, kubeconfig, charts } = context;
  let over = false;
  const writing = Promise.all([
    folder.write('kubeconfig', kubeconfig),
    // JSON is YAML, and leaves no doubt about what is a string.
    folder.write('values.json', JSON.stringify(task.values)),
  ]);
  const helm = Promise.all([writing, charts.path(chart)]).then(([[config, values], archive]) => {
    if (over) throw transient('The task ended before its chart had come');
    const labels = { [taskLabel]: task.task_id, [fenceLabel]: String(task.fence) };
    return readyHelm(deployArguments(task, { kubeconfig: config, values, chart: archive }, labels), context);
  });
  helm.catch(() => undefined);

  return {
    helm,
    async [Symbol.asyncDispose]() {
      over = true;
      helm.then((ready) => ready[Symbol.dispose]()).catch(() => undefined);
      await writing.catch(() => undefined);
    },
  };
}
