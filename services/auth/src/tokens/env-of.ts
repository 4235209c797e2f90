import type { CallingDeployment } from '@berth/contracts/resources/deployments/deployment-state';

/** The env in which a deployment runs: while its move waits, that of its old place. */
export const envOf = ({ env_id, installed_env_id }: Pick<CallingDeployment, 'env_id' | 'installed_env_id'>): string =>
  installed_env_id ?? env_id;
