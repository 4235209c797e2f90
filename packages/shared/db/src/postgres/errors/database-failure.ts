import { AppError } from '@berth/contracts/errors';
import { LostConnection, NoAnswer, PostgresError } from './postgres-error.ts';

const queryCanceled = '57014';
const lockNotAvailable = '55P03';

/** Converts errors of the database that the caller can act on; returns others unchanged. */
export function databaseFailure(error: unknown): unknown {
  if (isOverdue(error)) return new AppError('timeout', 'The database took too long', { cause: error });
  if (error instanceof LostConnection || isLostRace(error)) {
    return new AppError('unavailable', 'The database is not available', { cause: error });
  }
  return error;
}

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof PostgresError && error.code === lockNotAvailable;

const isOverdue = (error: unknown): boolean =>
  error instanceof NoAnswer || isLockTimeout(error) || (error instanceof PostgresError && error.code === queryCanceled);

/** A deadlock or a conflict between transactions: nothing was changed, so the work can be repeated. */
export const isLostRace = (error: unknown): boolean => error instanceof PostgresError && error.code.startsWith('40');
