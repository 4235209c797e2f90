import { type KindScope, maintainer, owner, type Rule } from '@berth/shared/access/rules';
import { changesForOwners } from '@berth/shared/contracts/resources/deployment-tasks';
import type { DeploymentChanges } from '@berth/shared/contracts/resources/deployments';
import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** The rule for a change that a task makes when it starts (Specification, "Who may do what"). */
export const ruleOfChange = (
  change: DeploymentChanges,
  deployment: Pick<DeploymentRecord, 'values_override'>,
): Rule<KindScope> => (changesForOwners(change, deployment) ? owner : maintainer);
