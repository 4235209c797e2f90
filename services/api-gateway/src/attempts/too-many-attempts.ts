import { AppError } from '@berth/shared/errors';

/** A 429 with its Retry-After. */
export class TooManyAttempts extends AppError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too_many_requests', 'Too many attempts from this address');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
