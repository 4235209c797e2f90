import { cutText } from './cut-text.ts';

/** The closed set of error codes, each with its HTTP status (Specification, "Errors"). */
export const errorCodes = {
  invalid: 400,
  invalid_login: 400,
  unauthenticated: 401,
  token_revoked: 401,
  token_expired: 401,
  user_inactive: 401,
  forbidden: 403,
  login_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  stale: 412,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  too_many_requests: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorCodes;

export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorCodes;

/** Which field is wrong and which rule it breaks; `path` is dotted, such as `body.config.replicas`. */
export interface FieldError {
  path: string;
  message: string;
}

/**
 * Limits of an error, in UTF-16 units: input of a caller or a chart must not decide how large an answer is. A message holds the
 * largest permitted error several times.
 */
const most = { errors: 50, path: 300, message: 500, detail: 2_000 };

/** The first errors, each shortened to a readable length. */
export const firstErrors = (errors: readonly FieldError[]): FieldError[] =>
  errors.slice(0, most.errors).map(({ path, message }) => ({
    path: cutText(path, most.path),
    message: cutText(message, most.message),
  }));

export interface AppErrorOptions {
  errors?: FieldError[];
  cause?: unknown;
  /** When to try again, if known. */
  retryAfterSeconds?: number | undefined;
}

const longestRetryAfterSeconds = 86_400;

/** Whole seconds. Undefined for other values than numbers, since errors also arrive from other services. */
function boundedSeconds(seconds: number | undefined): number | undefined {
  const whole = Math.ceil(Number(seconds));
  return Number.isNaN(whole) ? undefined : Math.min(Math.max(1, whole), longestRetryAfterSeconds);
}

/**
 * An error that the caller can act on; its message is sent to the caller unchanged. Any other exception is a bug: it is logged
 * once at the edge and answered as `internal` without its message.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail: string, { errors, cause, retryAfterSeconds }: AppErrorOptions = {}) {
    super(cutText(detail, most.detail), cause === undefined ? {} : { cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = errors && firstErrors(errors);
    this.retryAfterSeconds = boundedSeconds(retryAfterSeconds);
  }

  get status(): number {
    return errorCodes[this.code];
  }
}

/** What cannot happen while the code is right. A caller can do nothing about it. */
export class Bug extends Error {
  override readonly name = 'Bug';
}

/** The row, or `not_found`: the same message whether it is missing or not visible to the caller. */
export function found<T>(row: T | null | undefined, what: string): T {
  if (row === null || row === undefined) throw new AppError('not_found', `No such ${what}`);
  return row;
}

/** The row that a body names; 422 if it is missing or not visible to the caller (Specification, "Order of checks"). */
export function named<T>(row: T | null | undefined, path: string, what: string): T {
  if (row === null || row === undefined) {
    throw new AppError('unprocessable', `${path}: no such ${what}`, { errors: [{ path, message: `no such ${what}` }] });
  }
  return row;
}

/** The database or another service is unavailable or too slow: the request is valid and may succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout');
