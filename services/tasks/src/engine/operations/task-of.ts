import { beingDeleted } from '../../errors/refuse.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** The fields that every new task copies from its deployment. */
export const taskOf = ({ id, cluster_id, env_id }: DeploymentRecord) => ({ deployment_id: id, cluster_id, env_id });

/** Why a task that needs an enabled deployment cannot run; null if it can. */
export function goneMeanwhile({ deleting, enabled }: Pick<DeploymentRecord, 'enabled' | 'deleting'>): string | null {
  if (deleting) return beingDeleted;
  return enabled ? null : 'The deployment was disabled meanwhile';
}

/** Refuses an operation that needs an enabled deployment. */
export const unlessEnabled = ({ enabled }: Pick<DeploymentRecord, 'enabled'>): string | null =>
  enabled ? null : 'The deployment is disabled';

export const nothingToRunAgain = { refused: 'The task has nothing to run again' };
