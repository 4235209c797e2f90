import type { ErrorCode, FieldError } from '@berth/contracts/errors';

/** Why a request failed: an error of the API (`application/problem+json`), or no usable answer at all. */
export interface Problem {
  /** `unreachable`: no answer arrived; `unintelligible`: the answer was not from this API. */
  code: ErrorCode | 'unreachable' | 'unintelligible';
  /** Which request failed: `POST /api/v2/envs`. */
  request: string;
  /** HTTP status; 0 where no answer came. */
  status: number;
  detail: string;
  /** The fields that break a rule. */
  errors: FieldError[];
  requestId: string | null;
  /** From `Retry-After`, in ms. */
  retryAfterMs: number | null;
  cause?: unknown;
}

export interface Success<T> {
  ok: true;
  value: T;
  /** For `ifMatch` of a later change. */
  etag: string | null;
}

interface Failure {
  ok: false;
  problem: Problem;
}

export type Answer<T> = Success<T> | Failure;

/** A problem as an exception, for scripts that stop at the first one. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.request}: ${problem.code}: ${problem.detail}`, { cause: problem.cause });
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The value of a successful answer. Throws `ProblemError` for any other. */
export function unwrap<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new ProblemError(answer.problem);
}
