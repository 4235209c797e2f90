import { cutText } from '@berth/shared/cut-text';
import { databaseFailure } from '@berth/shared/db/postgres/database-failure';
import { PostgresError } from '@berth/shared/db/postgres/postgres-error';
import { AppError } from '@berth/shared/errors';

/** For tasks that end, or wait, because of a bug: what it is, is for our logs. */
export const ourFault = 'Something went wrong on our side before the task ran';

export interface StartFailure {
  reason: string;
  /** A bug: nobody but us can act on it. */
  isOurs: boolean;
}

/** Why this task cannot start; null where it is the database that failed: another task would not do better. */
export function startFailure(error: unknown): StartFailure | null {
  if (error instanceof AppError && error.status < 500) return { reason: cutText(error.message, 500), isOurs: false };
  if (error instanceof PostgresError || databaseFailure(error) instanceof AppError) return null;
  return { reason: ourFault, isOurs: true };
}
