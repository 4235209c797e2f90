import type { Queries } from '@berth/db/database';
import { isPast } from '@berth/db/postgres/is-past';
import { AppError } from '@berth/contracts/errors';

/** A token that could never be used is a mistake of the caller. */
export async function refusePastExpiry(db: Pick<Queries, 'exists'>, expiresAt: string | null): Promise<void> {
  if (expiresAt === null || !(await isPast(db, expiresAt))) return;
  const errors = [{ path: 'body.expires_at', message: 'must be in the future' }];
  throw new AppError('invalid', 'body.expires_at: must be in the future', { errors });
}
