import { type KindScope, maintainer, owner, type Rule } from '@berth/contracts/access/rules';
import { changesForOwners } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** The rule for a change that a task makes when it starts (Specification, "Who may do what"). */
export const ruleOfChange = (
  change: DeploymentChanges,
  deployment: Pick<DeploymentRecord, 'values_override'>,
): Rule<KindScope> => (changesForOwners(change, deployment) ? owner : maintainer);
