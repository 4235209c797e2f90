import { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { Id } from '@berth/contracts/fields/fields';
import { z } from 'zod';

/** The states that tasks give a deployment; `Deleting` is not among them, it replaces them in answers. */
export const DeploymentState = z.enum([
  'Unknown',
  'Installing',
  'Renaming',
  'Upgrading',
  'Running',
  'Error',
  'Uninstalling',
  'Uninstalled',
]);
export type DeploymentState = z.infer<typeof DeploymentState>;

/** A deployment as its owner sees it. */
export const DeploymentRecord = Deployment.extend({
  state: DeploymentState,
  deleting: z.boolean(),
  /** The place where a release may be; null if there is none. */
  installed_cluster_id: Id.nullable(),
  installed_namespace: z.string().nullable(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** The deployment as everybody may see it. */
export const publicDeployment = ({
  state: _state,
  deleting: _deleting,
  installed_cluster_id: _cluster,
  installed_namespace: _namespace,
  ...deployment
}: DeploymentRecord): Deployment => deployment;
