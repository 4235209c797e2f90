import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';

/** What the rules for canceling and retrying a task are checked on. A deleted deployment has no kind and env left to have a role for. */
export function scopeOfTask(
  { acting_user_id, acting_deployment_id }: TaskRecord,
  deployment: Pick<DeploymentRecord, 'env_id' | 'kind_id'> | null,
) {
  const { env_id, kind_id } = deployment ?? { env_id: null, kind_id: '' };
  return { env_id, kind_id, acting_user_id, acting_deployment_id };
}
