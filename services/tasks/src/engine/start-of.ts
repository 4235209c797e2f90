import type { DeploymentRecord } from '../records/deployment-record.ts';
import { releaseNameProblem } from './namespace-of.ts';
import { placeOf } from './planned-tasks.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { DeployRun, TaskRun, UninstallRun } from '../records/task-run.ts';
import { stateWhile, variantOf } from '../records/variant.ts';

export type Start = { run: TaskRun } | { impossible: string };

/**
 * What a task runs, now that all before it are over. Most know it since they were made; where something has to be
 * removed, and what is to be repeated, only this moment tells.
 */
export function startOf(
  task: Pick<TaskRecord, 'operation' | 'run'>,
  deployment: DeploymentRecord,
  /** What the last Install or Upgrade ran. */
  revision: DeployRun | null,
): Start {
  const tooLong = releaseNameProblem(namespaceToBe(task));
  if (tooLong !== null) return { impossible: tooLong };
  if (task.run) return unlessLeftBehind(task.run, deployment);
  switch (variantOf(task.operation)) {
    case 'Reinstall':
      return reinstallOf(deployment, revision);
    case 'Recreate':
    case 'Uninstall':
      return { run: uninstallOf(deployment, task) };
    default:
      return { impossible: 'The task has nothing to run' };
  }
}

/** Where a release is to be afterwards; a Recreate must not remove one that could not be installed again. */
function namespaceToBe({ operation, run }: Pick<TaskRecord, 'operation' | 'run'>): string {
  if ('Recreate' in operation) return operation.Recreate.new_namespace;
  return run?.action === 'deploy' ? run.namespace : '';
}

function reinstallOf(deployment: DeploymentRecord, revision: DeployRun | null): Start {
  if (!revision) return { impossible: 'What was installed last is not known: make an Upgrade' };
  return unlessLeftBehind(revision, deployment);
}

/** A second release would make us forget the first: what was to remove it has failed, or was canceled. */
function unlessLeftBehind(run: TaskRun, deployment: DeploymentRecord): Start {
  if (run.action !== 'deploy' || deployment.installed_cluster_id === null) return { run };
  const left = placeOf(deployment);
  if (run.cluster_id === left.cluster_id && run.namespace === left.namespace) return { run };
  const where = `${left.namespace}${run.cluster_id === left.cluster_id ? '' : ` on cluster ${left.cluster_id}`}`;
  return { impossible: `A release was left behind in namespace ${where}: retry the task, which removes it first` };
}

function uninstallOf(deployment: DeploymentRecord, { operation }: Pick<TaskRecord, 'operation'>): UninstallRun {
  const named = 'Recreate' in operation ? operation.Recreate : null;
  const installed = deployment.installed_cluster_id === null ? null : placeOf(deployment);
  const asked = named && { cluster_id: named.old_cluster_id, namespace: named.old_namespace };
  return {
    action: 'uninstall',
    ...(installed ?? asked ?? placeOf(deployment)),
    deployment_name: deployment.name,
    kind: '',
  };
}

/** The deployment while the task runs. */
export function whileRunning(
  deployment: DeploymentRecord,
  { operation }: Pick<TaskRecord, 'operation'>,
  run: TaskRun,
): DeploymentRecord {
  const state = stateWhile[variantOf(operation)];
  return {
    ...deployment,
    ...(state !== null && { state, reason: null }),
    // From here on there may be a release, whatever becomes of the task.
    ...(run.action === 'deploy' && { installed_cluster_id: run.cluster_id, installed_namespace: run.namespace }),
  };
}
