import type { NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import type { Place } from '../deployments/place.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';

/** Stands for the id of a deployment that does not exist yet. */
const noDeployment = '00000000-0000-0000-0000-000000000000';

/** A deployment as its creation would write it. */
export const newRecord = (body: NewDeployment, place: Place): DeploymentRecord => ({
  ...body,
  ...place,
  id: noDeployment,
  created_at: new Date().toISOString(),
  enabled: true,
  status: 'Unknown',
  state: 'Unknown',
  deleting: false,
  description_md: null,
  reason: null,
  revision_id: null,
  reported_status: null,
  installed_cluster_id: null,
  installed_namespace: null,
});
