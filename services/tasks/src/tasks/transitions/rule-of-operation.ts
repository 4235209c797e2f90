import { type KindScope, maintainer, owner, type Rule } from '@berth/contracts/access/rules';
import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import type { RequestedOperation, TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { AppError } from '@berth/contracts/errors';
import { findAction } from '../../actions/find-action.ts';
import { needsOf } from '../../engine/operations/index.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { ProjectionRepository } from '../../store/projection-repository.ts';
import { ruleOfChange } from './rule-of-change.ts';

export interface RequestedChange {
  operation: TaskOperation | RequestedOperation;
  /** The change of the deployment that the operation stands for. */
  change: DeploymentChanges | null;
}

/** The callers that may request an operation of a deployment. */
export async function ruleOfOperation(
  projected: Pick<ProjectionRepository, 'chart'>,
  { operation, change }: RequestedChange,
  deployment: DeploymentRecord,
): Promise<Rule<KindScope>> {
  if (change) return ruleOfChange(change, deployment);
  const { action } = needsOf(operation);
  if (!action) return maintainer;
  const found = await findAction(projected, action).catch((error: unknown) => {
    // If the action does not exist, only maintainers learn it, from a later check.
    if (error instanceof AppError && error.code === 'unprocessable') return null;
    throw error;
  });
  return found?.action.allowed_role === 'Owner' ? owner : maintainer;
}
