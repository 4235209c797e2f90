import { DatabaseError } from 'pg';
import { BackendTerminatedError } from 'slonik';

/**
 * What Postgres said about a statement, without the values that were in it: its detail, its context
 * and the messages of data errors quote them, and errors end up in logs.
 */
export class PostgresError extends Error {
  readonly code: string;
  readonly constraint: string | undefined;

  constructor({ code = 'unknown', message, constraint }: DatabaseError) {
    super(code.startsWith('22') ? `data error ${code}` : message);
    this.name = 'PostgresError';
    this.code = code;
    this.constraint = constraint;
  }
}

/** The connection is gone, and with it whatever was under way. */
export class LostConnection extends BackendTerminatedError {
  constructor(cause: Error) {
    super(cause);
    this.name = 'LostConnection';
  }
}

/** No answer within our own deadline; the connection is given up. */
export class NoAnswer extends BackendTerminatedError {
  constructor(cause: Error) {
    super(cause);
    this.name = 'NoAnswer';
  }
}

/** 08 connection exceptions, 53 out of resources, 57P0x shutting down or starting up, 25P03 idle in a transaction. */
export const isConnectionCode = (code: string): boolean => /^(08...|53...|57P0.|25P03)$/.test(code);

/** Network errors have codes too (`ECONNRESET`), pg's own have none; all of them mean that the connection is of no more use. */
export function fromPg(error: unknown): Error {
  if (error instanceof DatabaseError) {
    const told = new PostgresError(error);
    return isConnectionCode(told.code) ? new LostConnection(told) : told;
  }
  if (!(error instanceof Error)) return new Error('Postgres failed', { cause: error });
  return error.message === 'Query read timeout' ? new NoAnswer(error) : new LostConnection(error);
}
