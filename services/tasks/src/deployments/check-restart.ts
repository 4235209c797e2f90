import type { TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import type { TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { named } from '@berth/contracts/errors';
import { placeOf } from '../engine/deployments/place-of.ts';
import { unfit } from '../errors/refuse.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import { RestartedObject } from '../records/task-run.ts';

type Restart = Extract<TaskOperation, { RestartK8sResource: unknown }>['RestartK8sResource'];

const at = 'body.operation.RestartK8sResource';

/** The object to restart; 422 where the deployment has no such workload. */
export function checkRestart(
  { resource_name }: Restart,
  tracked: TrackedObject | null,
  deployment: DeploymentRecord,
): RestartedObject {
  const isOfDeployment =
    tracked?.deployment_id === deployment.id && tracked.cluster_id === placeOf(deployment).cluster_id;
  const { kind, name, uid } = named(isOfDeployment ? tracked : null, `${at}.resource_id`, 'resource of the deployment');
  if (name !== resource_name) throw unfit(`${at}.resource_name`, `the resource is named ${name}`);
  const restarted = RestartedObject.safeParse({ kind, name, uid });
  if (!restarted.success) {
    throw unfit(`${at}.resource_id`, `is a ${kind}; a Deployment, StatefulSet or DaemonSet can be restarted`);
  }
  return restarted.data;
}
