import type { DeploymentTask } from '@berth/client';
import { operationWord } from '../../ui/reading/operation-word.ts';

type Operated = Pick<DeploymentTask, 'operation'>;

/** What a task does, in words. `versionOf` names a chart, if it is known yet. */
export function taskWords({ operation }: Operated, versionOf: (chartId: string) => string | undefined): string {
  const to = (chartId: string) => {
    const version = versionOf(chartId);
    return version === undefined ? '' : ` to ${version}`;
  };
  if ('Install' in operation) return `Install${to(operation.Install.helm_chart_id).replace(' to ', ' ')}`;
  if ('Upgrade' in operation) {
    const { helm_chart_id, prev_helm_chart_id, rollback_to_task_id } = operation.Upgrade;
    if (rollback_to_task_id !== undefined) return `Roll back${to(helm_chart_id)}`;
    return helm_chart_id === prev_helm_chart_id ? 'Upgrade with other inputs' : `Upgrade${to(helm_chart_id)}`;
  }
  if ('InvokeAction' in operation) return `Action ${operation.InvokeAction.action_id}`;
  if ('RestartK8sResource' in operation) return `Restart ${operation.RestartK8sResource.resource_name}`;
  return operationWord({ operation });
}

/** Why the task was requested, if the operation says so. */
export const requestReason = ({ operation }: Operated): string | null =>
  'Reinstall' in operation && operation.Reinstall.reason !== '' ? operation.Reinstall.reason : null;

/** The chart that a task deploys; null if its operation names none. */
export function chartOf({ operation }: Operated): string | null {
  if ('Install' in operation) return operation.Install.helm_chart_id;
  return 'Upgrade' in operation ? operation.Upgrade.helm_chart_id : null;
}

type Acted = Pick<DeploymentTask, 'acting_user_id' | 'acting_deployment_id'>;

export interface Names {
  user: (id: string) => string;
  deployment: (id: string) => string;
}

/** Who requested a task. Rows do not name bots, so a bot looks the same as Berth itself. */
export function actorOf({ acting_user_id, acting_deployment_id }: Acted, { user, deployment }: Names): string {
  if (acting_user_id !== null) return user(acting_user_id);
  return acting_deployment_id === null ? 'Berth or a bot' : deployment(acting_deployment_id);
}
