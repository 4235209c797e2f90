import { AppError } from '@berth/contracts/errors';

export interface ClockStore {
  /** By the clock of the database. */
  isPast(time: string): Promise<boolean>;
}

/** A token that could never be used is a mistake of the caller. */
export async function refusePastExpiry(store: ClockStore, expiresAt: string | null): Promise<void> {
  if (expiresAt === null || !(await store.isPast(expiresAt))) return;
  const errors = [{ path: 'body.expires_at', message: 'must be in the future' }];
  throw new AppError('invalid', 'body.expires_at: must be in the future', { errors });
}
