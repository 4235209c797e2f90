import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeployRun, TaskRun } from '../../records/task-run.ts';
import { differences } from '../deployments/differences.ts';
import { isLeftBehind } from '../deployments/is-left-behind.ts';
import { after } from '../deployments/lifecycle.ts';
import { releaseNameProblem } from '../deployments/namespace-of.ts';
import { deploymentPaths, type FieldPaths } from '../../records/field-paths.ts';
import type { NewTask } from '../../records/new-task.ts';
import type { Variant } from '../../records/variant.ts';
import type { ComparedRun, Operation, RetriedNow, Retry, Retryable, Start, Startable } from './operation.ts';
import { goneMeanwhile, nothingToRunAgain } from './task-of.ts';
import { placeOf } from '../deployments/place-of.ts';

/** Common to Install and Upgrade, and in part to Reinstall: they run Helm for a chart with its inputs. */
export const deploys = {
  effect: 'installs',
  dryRun,
  nothingToDo: goneMeanwhile,
  runAtStart,
  isRepeatable: true,
  afterSuccess: (deployment, revision_id) => ({ ...after(deployment, 'release runs'), revision_id }),
  retry,
} satisfies Partial<Operation>;

export const deployRun = (deployment: DeploymentRecord, kind: string): DeployRun => ({
  action: 'deploy',
  cluster_id: deployment.cluster_id,
  namespace: deployment.namespace,
  deployment_name: deployment.name,
  kind,
  helm_chart_id: deployment.helm_chart_id,
  config: deployment.config,
  values_override: deployment.values_override,
});

export const whatRuns = ({ helm_chart_id, config, values_override }: DeploymentRecord) => ({
  helm_chart_id,
  config_inputs: config,
  values_override,
});

/** The fields of a request to install or upgrade. */
export const pathsIn = (variant: Variant): FieldPaths => ({
  ...deploymentPaths,
  helm_chart_id: `body.operation.${variant}.helm_chart_id`,
  config: `body.operation.${variant}.config_inputs`,
});

/** A request to install or upgrade, as a change of the deployment. */
export const changesTo = ({ helm_chart_id, config_inputs: config, values_override }: ReturnType<typeof whatRuns>) => ({
  helm_chart_id,
  config,
  values_override,
});

function dryRun({ run }: Pick<NewTask, 'run'>): ComparedRun | null {
  if (run?.action !== 'deploy') return null;
  return { action: 'deploy', cluster_id: run.cluster_id, namespace: run.namespace, run };
}

function runAtStart({ run }: Startable, deployment: DeploymentRecord): Start {
  if (!run) return { impossible: 'The task has nothing to run' };
  const tooLong = run.action === 'deploy' ? releaseNameProblem(run.namespace) : null;
  return tooLong === null ? unlessLeftBehind(run, deployment) : { impossible: tooLong };
}

/** Refuses a second release: Berth would lose track of the first, which a failed or canceled task did not remove. */
export function unlessLeftBehind(run: TaskRun, deployment: DeploymentRecord): Start {
  if (run.action !== 'deploy' || deployment.installed_cluster_id === null) return { run };
  const left = placeOf(deployment);
  if (run.cluster_id === left.cluster_id && run.namespace === left.namespace) return { run };
  const where = `${left.namespace}${run.cluster_id === left.cluster_id ? '' : ` on cluster ${left.cluster_id}`}`;
  return { impossible: `A release was left behind in namespace ${where}: retry the task, which removes it first` };
}

/**
 * The same run at the deployment's present place, if its chart and inputs are still wanted; a release elsewhere is removed first.
 */
function retry({ operation, run, reinstall_dependents }: Retryable, { deployment, open }: RetriedNow): Retry {
  if (run?.action !== 'deploy') return nothingToRunAgain;
  if (!deployment.enabled) return { refused: 'The deployment is disabled' };
  const { id: deployment_id, cluster_id, env_id, namespace, name: deployment_name } = deployment;
  const here = { ...run, cluster_id, namespace, deployment_name };
  const others = differences(here, deployment);
  if (others.length > 0) {
    const words = `another ${others.join(', ')}`;
    return { refused: `The deployment has changed since and now has ${words} than this task` };
  }
  const again = { deployment_id, cluster_id, env_id, operation, run: here, reinstall_dependents };
  return { plan: isLeftBehind(deployment, open) ? ['Recreate'] : [], again };
}
