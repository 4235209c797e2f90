import { AppError } from '@berth/contracts/errors';

export class TooManyRequests extends AppError {
  declare readonly retryAfterSeconds: number;

  constructor(words: string, waitMs: number) {
    super('too_many_requests', words, { retryAfterSeconds: waitMs / 1_000 });
  }
}
