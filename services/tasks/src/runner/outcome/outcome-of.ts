import type { TaskOutcome } from '@berth/shared/contracts/resources/runner-tasks';
import { AppError } from '@berth/shared/errors';
import { TaskFailure } from './task-failure.ts';

export interface End {
  outcome: TaskOutcome;
  reason: string | null;
}

/** What ended the run decides before what the run said: a Helm that was told to end fails with any words. Null: a bug of ours. */
export function endOf(
  error: unknown,
  { lease, stopping }: { lease: { readonly canceled: AbortSignal }; stopping: AbortSignal },
): End | null {
  if (lease.canceled.aborted) return { outcome: 'Canceled', reason: null };
  if (stopping.aborted) return { outcome: 'HandedBack', reason: 'The runner was stopped; another one goes on' };
  if (error instanceof TaskFailure) return { outcome: error.outcome, reason: error.message };
  if (error instanceof AppError) return { outcome: isPassing(error) ? 'Unreachable' : 'Failed', reason: error.message };
  return null;
}

const isPassing = ({ status }: AppError): boolean => status >= 500 || status === 429;
