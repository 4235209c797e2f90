import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { UninstallRun } from '../../records/task-run.ts';
import { placeOf } from '../deployments/place-of.ts';

/** The run that removes a release from where it is installed, or from the given place if nothing is. */
export const uninstallRun = (
  deployment: DeploymentRecord,
  otherwise: { cluster_id: string; namespace: string },
): UninstallRun => ({
  action: 'uninstall',
  ...(deployment.installed_cluster_id === null ? otherwise : placeOf(deployment)),
  deployment_name: deployment.name,
  kind: '',
});

/** The fields of a deployment after its release was removed. */
export const gone = {
  installed_cluster_id: null,
  installed_namespace: null,
  revision_id: null,
  reported_status: null,
} as const;
