import { type KindScope, maintainer, owner, type Rule } from '@berth/shared/access/rules';
import type { DeploymentChanges } from '@berth/shared/contracts/resources/deployments';
import { sameJson } from '@berth/shared/contracts/json';
import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** The rule of a change (Specification, "Who may do what"); an override that stays as it is needs no owner. */
export function ruleOfChange(
  { enabled, values_override }: DeploymentChanges,
  deployment: Pick<DeploymentRecord, 'values_override'>,
): Rule<KindScope> {
  const overrides = values_override !== undefined && !sameJson(values_override, deployment.values_override);
  return enabled !== undefined || overrides ? owner : maintainer;
}
