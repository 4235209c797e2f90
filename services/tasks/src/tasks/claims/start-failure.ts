import { cutText } from '@berth/contracts/cut-text';
import { databaseFailure } from '@berth/db/postgres/errors/database-failure';
import { PostgresError } from '@berth/db/postgres/errors/postgres-error';
import { AppError } from '@berth/contracts/errors';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';

export interface StartFailure {
  reason: string;
  /** A bug: logged, and not described to the user. */
  isBug: boolean;
}

/** Why this task cannot start. Null if the database failed, since no other task could start either. */
export function startFailure(error: unknown): StartFailure | null {
  if (error instanceof AppError && error.status < 500) return { reason: cutText(error.message, 500), isBug: false };
  if (error instanceof PostgresError || databaseFailure(error) instanceof AppError) return null;
  return { reason: internalError.beforeStart, isBug: true };
}
