import { AppError } from '@berth/contracts/errors';
import { PostgresError } from './postgres-error.ts';

/** For `.catch`: a violation of the named constraint becomes `conflict` (409) with this message. */
export const conflictOn =
  (constraint: string, message: string) =>
  (error: unknown): never => {
    if (error instanceof PostgresError && error.constraint === constraint) {
      throw new AppError('conflict', message, { cause: error });
    }
    throw error;
  };
