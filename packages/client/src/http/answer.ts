import type { ErrorCode, FieldError } from './errors.ts';

/** Why a request failed: an error of the API (`application/problem+json`), or an unusable answer. */
export interface Problem {
  /** `unreachable`: no answer arrived; `unintelligible`: the answer is not from this API. */
  code: ErrorCode | 'unreachable' | 'unintelligible';
  /** The failed request, such as `POST /api/v2/envs`. */
  request: string;
  /** HTTP status; 0 if no answer arrived. */
  status: number;
  detail: string;
  /** The fields that break rules. */
  errors: FieldError[];
  requestId: string | null;
  /** From `Retry-After`, in ms. */
  retryAfterMs: number | null;
  cause?: unknown;
}

export interface Success<T> {
  ok: true;
  value: T;
  /** The tag for `ifMatch` in a later change. */
  etag: string | null;
  /** The ids of the tasks that the request queued, in their order; of many, the first 50. */
  taskIds: string[];
  /** The number of all tasks that it queued. */
  taskCount: number;
}

interface Failure {
  ok: false;
  problem: Problem;
}

export type Answer<T> = Success<T> | Failure;

/** A problem as an exception, for scripts that should stop at the first one. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.request}: ${problem.code}: ${problem.detail}`, { cause: problem.cause });
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The value of a successful answer; throws `ProblemError` for others. */
export function unwrap<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new ProblemError(answer.problem);
}
