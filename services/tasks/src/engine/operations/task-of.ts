import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** What every new task has of its deployment. */
export const taskOf = ({ id, cluster_id, env_id }: DeploymentRecord) => ({ deployment_id: id, cluster_id, env_id });

/** The refusal of what needs an enabled deployment. */
export const unlessEnabled = ({ enabled }: Pick<DeploymentRecord, 'enabled'>): string | null =>
  enabled ? null : 'The deployment is disabled';
