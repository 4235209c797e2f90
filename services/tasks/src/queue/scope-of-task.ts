import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { TaskRecord } from '../records/task-record.ts';

/**
 * The scope for the rules of canceling and retrying a task. A deleted deployment has neither kind nor env, so roles do not apply.
 */
export function scopeOfTask(
  { acting_user_id, acting_deployment_id, requester }: TaskRecord,
  deployment: Pick<DeploymentRecord, 'env_id' | 'kind_id'> | null,
) {
  const { env_id, kind_id } = deployment ?? { env_id: null, kind_id: '' };
  return { env_id, kind_id, acting_user_id, acting_deployment_id, requester };
}
