import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { TaskRecord } from '../records/task-record.ts';
import { type Variant, variantOf } from '../records/variant.ts';

type Task = Pick<TaskRecord, 'operation' | 'change'>;
type Deployment = Pick<DeploymentRecord, 'enabled' | 'deleting' | 'revision_id'>;

/** Why a task whose turn has come has nothing to do any more; null where it has. Then it is canceled: nothing is wrong. */
export function whyMoot(task: Task, deployment: Deployment): string | null {
  const variant = variantOf(task.operation);
  return task.change ? whyChangeIsMoot(variant, deployment) : whyRunIsMoot(variant, deployment);
}

/** A scheduled change is asked for without a look at the state; that of this moment decides. */
function whyChangeIsMoot(variant: Variant, { enabled }: Deployment): string | null {
  if (variant === 'Install') return enabled ? 'The deployment is enabled already' : null;
  return enabled ? null : 'The deployment is disabled';
}

const deploying: readonly Variant[] = ['Install', 'Upgrade', 'Reinstall'];

function whyRunIsMoot(variant: Variant, { enabled, deleting, revision_id }: Deployment): string | null {
  if (!deploying.includes(variant)) return null;
  if (deleting) return 'The deployment is being deleted';
  if (!enabled) return 'The deployment was disabled meanwhile';
  if (variant === 'Reinstall' && revision_id === null) return 'Nothing is installed that could be installed again';
  return null;
}
