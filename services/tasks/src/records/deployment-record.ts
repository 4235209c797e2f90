import { Deployment, DeploymentStatus } from '@berth/contracts/resources/deployments/deployments';
import { Id } from '@berth/contracts/fields/fields';
import { z } from 'zod';

/** The states that tasks give a deployment. `Deleting` is not among them: answers show it in place of the state. */
export const DeploymentState = DeploymentStatus.exclude(['Deleting']);
export type DeploymentState = z.infer<typeof DeploymentState>;

/** A deployment with the columns that only its owner sees. */
export const DeploymentRecord = Deployment.extend({
  state: DeploymentState,
  deleting: z.boolean(),
  /** What users read as `reason`: that of tasks, which the engine decides, and that of the workload. */
  shown_reason: z.string().nullable(),
  /** The place that may have a release, or null. */
  installed_cluster_id: Id.nullable(),
  installed_namespace: z.string().nullable(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** The public fields of a deployment. */
export const publicDeployment = ({
  state: _state,
  deleting: _deleting,
  reason: _reason,
  shown_reason,
  installed_cluster_id: _cluster,
  installed_namespace: _namespace,
  ...deployment
}: DeploymentRecord): Deployment => ({ ...deployment, reason: shown_reason });
