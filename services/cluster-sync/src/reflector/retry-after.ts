import { AnswerTooLarge, KubeError } from '@berth/kube/kube-error';

/** The next answer would be as large, and each costs as much as the limits allow. */
const excessPauseMs = 60_000;

/** How long a failed request is not repeated at least; null for the usual pauses. */
export function retryAfterOf(error: unknown): number | null {
  if (error instanceof AnswerTooLarge) return excessPauseMs;
  return error instanceof KubeError ? error.retryAfterMs : null;
}
