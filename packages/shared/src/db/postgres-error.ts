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

/** What pg says, without a code, when a connection cannot be made or is of no more use. */
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/;

/** ECONNREFUSED, ECONNRESET, EPIPE, ENOTFOUND, … */
const isNetworkError = (error: Error): boolean =>
  'code' in error &&
  typeof error.code === 'string' &&
  /^(E(?!RR_)[A-Z]+|ERR_(STREAM|SOCKET|TLS)_\w+)$/.test(error.code);

export function fromPg(error: unknown): Error {
  if (error instanceof DatabaseError) {
    const told = new PostgresError(error);
    return isConnectionCode(told.code) ? new LostConnection(told) : told;
  }
  if (!(error instanceof Error)) return new Error('Postgres failed', { cause: error });
  if (error.message === 'Query read timeout') return new NoAnswer(error);
  return isNetworkError(error) || brokenConnection.test(error.message) ? new LostConnection(error) : error;
}
