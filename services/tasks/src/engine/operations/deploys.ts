import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeployRun, TaskRun } from '../../records/task-run.ts';
import { differences } from '../deployments/differences.ts';
import { healPlan } from '../deployments/heal-plan.ts';
import { releaseNameProblem } from '../deployments/namespace-of.ts';
import type { Operation, RetriedNow, Retry, Retryable, Start, Startable } from './operation.ts';
import { placeOf } from '../deployments/place-of.ts';

/** Common to Install and Upgrade, and in part to Reinstall: they run Helm for a chart with its inputs. */
export const deploys = { nothingToDo, runAtStart, retry } satisfies Partial<Operation>;

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

/** A request to install or upgrade, as a change of the deployment. */
export const changesTo = ({ helm_chart_id, config_inputs: config, values_override }: ReturnType<typeof whatRuns>) => ({
  helm_chart_id,
  config,
  values_override,
});

function nothingToDo({ deleting, enabled }: Pick<DeploymentRecord, 'enabled' | 'deleting'>): string | null {
  if (deleting) return 'The deployment is being deleted';
  return enabled ? null : 'The deployment was disabled meanwhile';
}

function runAtStart({ run }: Startable, deployment: DeploymentRecord): Start {
  if (!run) return { impossible: 'The task has nothing to run' };
  const tooLong = run.action === 'deploy' ? releaseNameProblem(run.namespace) : null;
  return tooLong === null ? unlessLeftBehind(run, deployment) : { impossible: tooLong };
}

/** A second release would make the platform forget the first, whose removal failed or was canceled. */
export function unlessLeftBehind(run: TaskRun, deployment: DeploymentRecord): Start {
  if (run.action !== 'deploy' || deployment.installed_cluster_id === null) return { run };
  const left = placeOf(deployment);
  if (run.cluster_id === left.cluster_id && run.namespace === left.namespace) return { run };
  const where = `${left.namespace}${run.cluster_id === left.cluster_id ? '' : ` on cluster ${left.cluster_id}`}`;
  return { impossible: `A release was left behind in namespace ${where}: retry the task, which removes it first` };
}

/** The same run at the deployment's current place, if it still brings what is wanted; a release elsewhere is removed first. */
function retry({ operation, run, reinstall_dependents }: Retryable, { deployment, open }: RetriedNow): Retry {
  if (run?.action !== 'deploy') return { refused: 'The task has nothing to run again' };
  if (!deployment.enabled) return { refused: 'The deployment is disabled' };
  const { id: deployment_id, cluster_id, env_id, namespace, name: deployment_name } = deployment;
  const here = { ...run, cluster_id, namespace, deployment_name };
  const others = differences(here, deployment);
  if (others.length > 0) {
    const words = `another ${others.join(', ')}`;
    return { refused: `The deployment has changed since and now has ${words} than this task` };
  }
  const again = { deployment_id, cluster_id, env_id, operation, run: here, reinstall_dependents };
  return { plan: healPlan(['Upgrade'], deployment, open).filter((step) => step === 'Recreate'), again };
}
