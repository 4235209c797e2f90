import type { DeploymentTask } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';

/** Fails, with the reason, unless the task is done. */
export function requireDone({ id, status, reason }: Pick<DeploymentTask, 'id' | 'status' | 'reason'>): void {
  if (status === 'Failed') throw new CliFailure('failed', `task ${id} failed: ${reason ?? 'without a reason'}`);
  if (status === 'Canceled')
    throw new CliFailure('cancelled', `task ${id} was cancelled: ${reason ?? 'without a reason'}`);
}
