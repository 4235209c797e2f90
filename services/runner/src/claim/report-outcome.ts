import type { Bus } from '@berth/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';
import { plainText } from '../log/log-texts.ts';
import type { Outcome } from '../outcome/outcome-of.ts';
import type { ClaimLease } from './claim-lease.ts';

const retryMs = 500;

export interface ReportOutcomeDeps {
  bus: Pick<Bus, 'call'>;
  lease: Pick<ClaimLease, 'lost' | 'isLost'>;
  withinMs: number;
}

/** `conflict`: another runner has the claim. Any other refusal would be repeated for ever. */
const isFinal = (error: unknown): boolean =>
  error instanceof AppError && error.status < 500 && error.code !== 'too_many_requests';

/** A service of the previous version refuses the newest field. */
const isInvalid = (error: unknown): boolean => error instanceof AppError && error.code === 'invalid';

/**
 * Retries until the outcome is recorded, for as long as the claim lasts. Otherwise the claim expires, and the labels of the
 * release show the next runner how it ended. True when it was recorded.
 */
export async function reportOutcome(
  { task_id, fence, request_id }: Pick<ClaimedTask, 'task_id' | 'fence' | 'request_id'>,
  { outcome, reason, helm_ended }: Outcome,
  { bus, lease, withinMs }: ReportOutcomeDeps,
): Promise<boolean> {
  const body = {
    task_id,
    fence,
    outcome,
    reason: reason === null ? null : cutText(plainText(reason), 500),
  };
  let saysEnded = helm_ended === true;
  const giveUpAt = performance.now() + withinMs;
  while (!lease.isLost() && performance.now() < giveUpAt) {
    try {
      const request = { body: { ...body, ...(saysEnded && { helm_ended: true }) } };
      await bus.call(runnerTasks.operations.finish, request, { requestId: request_id ?? undefined });
      return true;
    } catch (error) {
      if (saysEnded && isInvalid(error)) {
        saysEnded = false;
        continue;
      }
      if (isFinal(error)) return false;
      await pause(retryMs, lease.lost);
    }
  }
  return false;
}
