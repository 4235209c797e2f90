import { AppError } from '@berth/shared/errors';

/** A 429 with its Retry-After. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number;

  constructor(words: string, waitMs: number) {
    super('too_many_requests', words);
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  }
}
