import { cutText } from '@berth/shared/cut-text';
import { databaseFailure } from '@berth/shared/db/postgres/database-failure';
import { PostgresError } from '@berth/shared/db/postgres/postgres-error';
import { AppError } from '@berth/shared/errors';
import { internalError } from '../../errors/internal-error.ts';

export interface StartFailure {
  reason: string;
  /** A bug: logged, and not described to the user. */
  isBug: boolean;
}

/** Why this task cannot start; null if the database failed: no other task would start either. */
export function startFailure(error: unknown): StartFailure | null {
  if (error instanceof AppError && error.status < 500) return { reason: cutText(error.message, 500), isBug: false };
  if (error instanceof PostgresError || databaseFailure(error) instanceof AppError) return null;
  return { reason: internalError.beforeStart, isBug: true };
}
