import { AppError, type ErrorCode, type FieldError } from '../../errors.ts';
import { PostgresError } from './postgres-error.ts';

const violationAs =
  (code: ErrorCode) =>
  (constraint: string, words: string, errors?: FieldError[]) =>
  (error: unknown): never => {
    if (error instanceof PostgresError && error.constraint === constraint) {
      throw new AppError(code, words, { cause: error, ...(errors && { errors }) });
    }
    throw error;
  };

/** For `.catch`: a violation of the named constraint becomes `conflict` (409) with this message. */
export const conflictOn = violationAs('conflict');

/** For `.catch`: a violation of the named constraint becomes `unprocessable` (422) with this message. */
export const unprocessableOn = violationAs('unprocessable');
