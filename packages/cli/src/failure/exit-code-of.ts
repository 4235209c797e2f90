import { type Problem, ProblemError, WaitedTooLong } from '@berth/client';
import { CliFailure } from './cli-failure.ts';
import { exitCodes, type Outcome } from './exit-codes.ts';

/** The outcome for each error code of the API. An outage is `failed`: the same command may succeed later. */
const outcomes: Readonly<Record<Problem['code'], Outcome>> = {
  invalid: 'usage',
  too_large: 'usage',
  method_not_allowed: 'failed',
  unsupported_media_type: 'failed',
  not_implemented: 'failed',
  invalid_login: 'refused',
  unauthenticated: 'refused',
  token_revoked: 'refused',
  token_expired: 'refused',
  user_inactive: 'refused',
  forbidden: 'refused',
  login_refused: 'refused',
  not_found: 'refused',
  conflict: 'refused',
  stale: 'refused',
  unprocessable: 'refused',
  too_many_requests: 'failed',
  internal: 'failed',
  unavailable: 'failed',
  unreachable: 'failed',
  unintelligible: 'failed',
  timeout: 'timedOut',
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliFailure) return exitCodes[error.outcome];
  // A newer server may answer a code that this version does not know.
  if (error instanceof ProblemError) return exitCodes[outcomes[error.problem.code] ?? 'failed'];
  return error instanceof WaitedTooLong ? exitCodes.timedOut : exitCodes.failed;
}
