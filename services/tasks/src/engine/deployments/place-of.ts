import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** The place of a deployment's release, or where it would be installed. */
export const placeOf = (deployment: DeploymentRecord): { cluster_id: string; namespace: string } => ({
  cluster_id: deployment.installed_cluster_id ?? deployment.cluster_id,
  namespace: deployment.installed_namespace ?? deployment.namespace,
});
