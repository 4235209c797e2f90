import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { Namespace } from '../cluster/kube-objects.ts';
import { permanent, type TaskFailure } from '../outcome/task-failure.ts';

/** By it cluster-sync knows whose the namespace is, too. */
export const deploymentIdAnnotation = 'berth.dev/deployment-id';

/** True when the namespace belongs to this very deployment. */
export const isOurs = (namespace: Namespace, deploymentId: string): boolean =>
  namespace.metadata.annotations?.[deploymentIdAnnotation] === deploymentId;

export const isGoing = (namespace: Namespace): boolean => namespace.status?.phase === 'Terminating';

/** One that is not ours is never adopted (decision 7). */
export const ofSomebodyElse = ({ namespace }: Pick<ClaimedTask, 'namespace'>): TaskFailure =>
  permanent(
    `The namespace ${namespace} exists already and does not belong to this deployment; remove it or choose another name`,
  );
