import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { OpenTask } from '../../records/open-task.ts';
import { placeOf } from './place-of.ts';

/**
 * Whether a release stays at a place that the deployment has left: the task that was to remove it failed or was canceled, and no
 * open task will remove it. Scheduled tasks run after those of a new plan.
 */
export function isLeftBehind(
  deployment: DeploymentRecord,
  open: readonly Pick<OpenTask, 'effect' | 'is_scheduled'>[],
): boolean {
  const { cluster_id, namespace } = placeOf(deployment);
  const isElsewhere = cluster_id !== deployment.cluster_id || namespace !== deployment.namespace;
  return (
    isElsewhere &&
    !open.some(({ effect, is_scheduled }) => !is_scheduled && (effect === 'moves' || effect === 'removes'))
  );
}
