import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** Where the release of a deployment is, or would be if it was installed. */
export const placeOf = (deployment: DeploymentRecord): { cluster_id: string; namespace: string } => ({
  cluster_id: deployment.installed_cluster_id ?? deployment.cluster_id,
  namespace: deployment.installed_namespace ?? deployment.namespace,
});
