import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { Variant } from '../../records/variant.ts';
import { isLeftBehind } from '../deployments/is-left-behind.ts';
import { operations } from './index.ts';

/** The plan, with a Recreate first if a release was left behind: the deployment must not have two releases. */
export function healPlan(
  plan: readonly Variant[],
  deployment: DeploymentRecord,
  open: Parameters<typeof isLeftBehind>[1],
): readonly Variant[] {
  const effects = plan.map((variant) => operations[variant].effect);
  const mayBeSecond = effects.includes('installs') && !effects.includes('moves');
  return mayBeSecond && isLeftBehind(deployment, open) ? ['Recreate', ...plan] : plan;
}
