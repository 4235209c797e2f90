import { sameJson } from '@berth/contracts/fields/json';
import { referencesIn } from '../collections/references-in.ts';
import { readChart } from '../deployments/chart.ts';
import { beginsRun } from '../engine/tasks/installed-runs.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { Reference } from '../records/reference.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { DeployRun, TaskRun } from '../records/task-run.ts';
import type { ReadingStore, WritingStore } from '../store/store.ts';

/**
 * Records the run of a task that starts: from now on the cluster may have objects of it. Throws a conflict if another deployment
 * holds its hostname. The caller holds the lock of the deployment and has saved its installed place.
 */
export async function beginRun(
  store: Pick<WritingStore, 'projected' | 'installedChanges'>,
  deployment: DeploymentRecord,
  { task, run }: { task: TaskRecord; run: TaskRun },
): Promise<void> {
  if (run.action !== 'deploy' || !beginsRun(task)) return;
  const isWanted = run.helm_chart_id === deployment.helm_chart_id && sameJson(run.config, deployment.config);
  const references = isWanted ? 'as wanted' : await referencesOfRun(store, run);
  await store.installedChanges.begin(deployment.id, { task_id: task.id, run, references });
}

/** The items to which the inputs of a run point. Without its chart it cannot run again, so it refers to nothing. */
export async function referencesOfRun(
  { projected }: Pick<ReadingStore, 'projected'>,
  { helm_chart_id, config }: DeployRun,
): Promise<Reference[]> {
  const chart = await projected.chart(helm_chart_id);
  const form = chart && readChart(chart).form;
  return form ? referencesIn(form, config) : [];
}
