import type { TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { named } from '@berth/contracts/errors';
import { placeOf } from '../engine/deployments/place-of.ts';
import type { NamedObject } from '../engine/operations/operation.ts';
import { restartPath } from '../engine/operations/restart-k8s-resource.ts';
import { unfit } from '../errors/refuse.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import { RestartedObject } from '../records/task-run.ts';

/** The object to restart; 422 if the deployment has no such workload. */
export function checkRestart(
  { resource_name }: NamedObject,
  tracked: TrackedObject | null,
  deployment: DeploymentRecord,
): RestartedObject {
  const isOfDeployment =
    tracked?.deployment_id === deployment.id && tracked.cluster_id === placeOf(deployment).cluster_id;
  const { kind, name, uid } = named(
    isOfDeployment ? tracked : null,
    `${restartPath}.resource_id`,
    'resource of the deployment',
  );
  if (name !== resource_name) throw unfit(`${restartPath}.resource_name`, `the resource is named ${name}`);
  const restarted = RestartedObject.safeParse({ kind, name, uid });
  if (!restarted.success) {
    throw unfit(`${restartPath}.resource_id`, `is a ${kind}; a Deployment, StatefulSet or DaemonSet can be restarted`);
  }
  return restarted.data;
}
