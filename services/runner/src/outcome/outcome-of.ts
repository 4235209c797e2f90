import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { TaskFailure } from './task-failure.ts';

/** How a claim ended, with the reason that users read. */
export interface Outcome {
  outcome: TaskOutcome;
  reason: string | null;
  /** Helm has deployed the release in this claim. */
  helm_ended?: true;
}

type Aborted = Pick<AbortSignal, 'aborted'>;

/** Cancellation and shutdown take precedence over the error, since a stopped Helm may exit with any message. Null for a bug. */
export function outcomeOf(
  error: unknown,
  { lease, stopping }: { lease: { readonly canceled: Aborted }; stopping: Aborted },
): Outcome | null {
  if (lease.canceled.aborted) return { outcome: 'Canceled', reason: null };
  if (stopping.aborted) return { outcome: 'HandedBack', reason: 'The runner stopped; another one continues' };
  if (error instanceof TaskFailure) return { outcome: error.outcome, reason: error.message };
  if (error instanceof AppError) return { outcome: mayPass(error) ? 'Unreachable' : 'Failed', reason: error.message };
  return null;
}

const mayPass = ({ status }: AppError): boolean => status >= 500 || status === 429;
