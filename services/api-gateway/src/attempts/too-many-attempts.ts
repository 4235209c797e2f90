import { AppError } from '@berth/shared/errors';

/** 429 that says when to come back. */
export class TooManyAttempts extends AppError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too_many_requests', 'Too many attempts from this address');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
