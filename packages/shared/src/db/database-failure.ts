import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  UnexpectedStateError,
} from 'slonik';
import { AppError } from '../errors.ts';
import { NoAnswer, PostgresError } from './postgres-error.ts';

const queryCanceled = '57014';
const lockNotAvailable = '55P03';

/** slonik's words when a transaction goes on with a connection that was lost meanwhile. */
const goneClient = /^Client is (destroyed|pending destroy|not acquired)/;

/** Errors of the database that the caller can act on; others come back as they are. */
export function databaseFailure(error: unknown): unknown {
  if (isOverdue(error)) return new AppError('timeout', 'The database took too long', { cause: error });
  if (isUnavailable(error)) return new AppError('unavailable', 'The database is not available', { cause: error });
  return error;
}

const isOverdue = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  (error instanceof PostgresError && (error.code === queryCanceled || error.code === lockNotAvailable));

const isUnavailable = (error: unknown): boolean =>
  error instanceof BackendTerminatedError ||
  error instanceof BackendTerminatedUnexpectedlyError ||
  error instanceof ConnectionError ||
  // The pool is closing.
  error instanceof UnexpectedStateError ||
  // Deadlocks and lost races that were tried again and lost again.
  (error instanceof PostgresError && error.code.startsWith('40')) ||
  (error instanceof Error && goneClient.test(error.message));
