import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { Namespace } from '../cluster/kube-objects.ts';
import { permanent, type TaskFailure } from '../outcome/task-failure.ts';

export const belongsTo = (namespace: Namespace, deploymentId: string): boolean =>
  namespace.metadata.annotations?.[namespaceAnnotations.deploymentId] === deploymentId;

export const isTerminating = (namespace: Namespace): boolean => namespace.status?.phase === 'Terminating';

type Place = Pick<ClaimedTask, 'namespace' | 'deployment_id'>;

/** Only a deployment's own namespace may be changed or removed. */
export function refuseForeign(found: Namespace, { namespace, deployment_id }: Place): void {
  if (belongsTo(found, deployment_id)) return;
  throw permanent(`The namespace ${namespace} does not belong to this deployment and was left unchanged`);
}

/** A namespace that Berth did not create for this deployment is never adopted. */
export const foreignNamespace = ({ namespace }: Pick<ClaimedTask, 'namespace'>): TaskFailure =>
  permanent(
    `The namespace ${namespace} exists already and does not belong to this deployment; remove it or choose another name`,
  );
