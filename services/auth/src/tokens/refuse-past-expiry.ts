import { AppError } from '@berth/shared/errors';

/** A token that could never be used is a mistake of who asks for it. */
export function refusePastExpiry(expiresAt: string | null | undefined, now: Date): void {
  if (!expiresAt || new Date(expiresAt) > now) return;
  const errors = [{ path: 'body.expires_at', message: 'must be in the future' }];
  throw new AppError('invalid', 'body.expires_at: must be in the future', { errors });
}
