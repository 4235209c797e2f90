import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { TaskRecord } from '../../records/task-record.ts';

/** The scope that the rules for canceling and retrying a task check. A deleted deployment has neither kind nor env for a role. */
export function scopeOfTask(
  { acting_user_id, acting_deployment_id }: TaskRecord,
  deployment: Pick<DeploymentRecord, 'env_id' | 'kind_id'> | null,
) {
  const { env_id, kind_id } = deployment ?? { env_id: null, kind_id: '' };
  return { env_id, kind_id, acting_user_id, acting_deployment_id };
}
