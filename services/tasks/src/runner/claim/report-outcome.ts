import { cutText } from '@berth/shared/cut-text';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@berth/shared/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/shared/contracts/resources/runner-tasks';
import { AppError } from '@berth/shared/errors';
import type { ClaimLease } from './claim-lease.ts';
import type { End } from '../outcome/outcome-of.ts';
import { plainText } from '../log/log-texts.ts';

const retryMs = 500;

export interface ReportOutcomeDeps {
  bus: Pick<Bus, 'call'>;
  lease: Pick<ClaimLease, 'lost' | 'isLost'>;
  withinMs: number;
}

/**
 * Tells the end until it is heard, for as long as the claim lasts. Where it is not, the claim runs out, and the release
 * itself tells the next runner. True when it was heard.
 */
export async function reportOutcome(
  { task_id, fence, request_id }: Pick<ClaimedTask, 'task_id' | 'fence' | 'request_id'>,
  { outcome, reason }: End,
  { bus, lease, withinMs }: ReportOutcomeDeps,
): Promise<boolean> {
  const body = {
    task_id,
    fence,
    outcome,
    reason: reason === null ? null : cutText(plainText(reason), 500),
  };
  const giveUp = performance.now() + withinMs;
  while (!lease.isLost() && performance.now() < giveUp) {
    try {
      await bus.call(runnerTasks.operations.finish, { body }, { requestId: request_id ?? undefined });
      return true;
    } catch (error) {
      // `conflict`: it is somebody else's. Whatever else is refused once would be so for ever.
      if (error instanceof AppError && error.status < 500 && error.code !== 'too_many_requests') return false;
      await delay(retryMs, undefined, { signal: lease.lost }).catch(() => undefined);
    }
  }
  return false;
}
