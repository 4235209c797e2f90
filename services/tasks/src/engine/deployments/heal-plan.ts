import type { OpenTask } from '../../records/open-task.ts';
import type { Variant } from '../../records/variant.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { placeOf } from './place-of.ts';

/**
 * The plan, with a Recreate first where a release was left behind at another place: an earlier Recreate or Uninstall
 * failed there, and what is installed now must not be a second one.
 */
export function healPlan(
  plan: readonly Variant[],
  deployment: DeploymentRecord,
  open: readonly Pick<OpenTask, 'variant' | 'is_scheduled'>[],
): Variant[] {
  const deploys = plan.some((operation) => operation === 'Install' || operation === 'Upgrade');
  if (!deploys || plan.includes('Recreate') || !isMisplaced(deployment)) return [...plan];

  const cleaning: readonly Variant[] = ['Recreate', 'Uninstall'];
  // Scheduled tasks come later than this plan.
  const isCleaned = open.some(({ variant, is_scheduled }) => !is_scheduled && cleaning.includes(variant));
  return isCleaned ? [...plan] : ['Recreate', ...plan];
}

function isMisplaced(deployment: DeploymentRecord): boolean {
  const { cluster_id, namespace } = placeOf(deployment);
  return cluster_id !== deployment.cluster_id || namespace !== deployment.namespace;
}
