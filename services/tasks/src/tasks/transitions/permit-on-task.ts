import type { HandlerContext } from '@berth/shared/bus/bus';
import type { deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';

type Context = HandlerContext<typeof deploymentTasks.operations.cancel>;

/** Of a deleted deployment no kind and env is left to hold a role for, but whoever made the task. */
export function permitOnTask(
  context: Pick<Context, 'permit'>,
  task: TaskRecord,
  deployment: DeploymentRecord | null,
): void {
  const { acting_user_id, acting_deployment_id } = task;
  const { env_id, kind_id } = deployment ?? { env_id: null, kind_id: '' };
  context.permit({ env_id, kind_id, acting_user_id, acting_deployment_id });
}
