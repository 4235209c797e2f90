import { AnswerTooLarge, KubeError } from '@berth/kube/kube-error';

/** The pause after an answer that was too large, since the next one would cost as much again. */
const excessPauseMs = 60_000;

/** The minimal pause before a failed request is repeated; null for the usual pauses. */
export function retryAfterOf(error: unknown): number | null {
  if (error instanceof AnswerTooLarge) return excessPauseMs;
  return error instanceof KubeError ? error.retryAfterMs : null;
}
