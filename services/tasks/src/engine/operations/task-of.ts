import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** What every new task takes from its deployment. */
export const taskOf = ({ id, cluster_id, env_id }: DeploymentRecord) => ({ deployment_id: id, cluster_id, env_id });

/** Refuses an operation that needs an enabled deployment. */
export const unlessEnabled = ({ enabled }: Pick<DeploymentRecord, 'enabled'>): string | null =>
  enabled ? null : 'The deployment is disabled';
