import type { Variant } from '../../records/variant.ts';
import { isMoved, isReconfigured, type DesiredDeployment } from '../deployments/what-changes.ts';

/** The operations that an update of a deployment needs: one plan per update (Specification, "Updates"). */
export function planUpdate(before: DesiredDeployment, after: DesiredDeployment): Variant[] {
  if (!after.enabled) return before.enabled ? ['Uninstall'] : [];
  if (!before.enabled) return ['Install'];
  if (isMoved(before, after)) return ['Recreate', 'Upgrade'];
  return isReconfigured(before, after) ? ['Upgrade'] : [];
}

export const planCreation: readonly Variant[] = ['Install'];
export const planDeletion: readonly Variant[] = ['Uninstall'];

/** The run to which a rollback returns the deployment. */
export const rollback: Variant = 'Upgrade';
