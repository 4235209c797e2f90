import { Bug } from '@berth/contracts/errors';
import { DatabaseError } from 'pg';

/**
 * The error of a statement without the values in it. Its detail, its context and messages of data errors quote values, and errors
 * are logged.
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

/** The connection was lost during a statement, or could not be opened. */
export class LostConnection extends Error {
  constructor(cause: Error) {
    super('The connection to Postgres is lost', { cause });
    this.name = 'LostConnection';
  }
}

/** No answer within our own deadline; the connection is dropped. */
export class NoAnswer extends Error {
  constructor(cause: Error) {
    super('Postgres did not answer', { cause });
    this.name = 'NoAnswer';
  }
}

/** An administrator has to create the schema or to change the role's search path. */
export class NoSchema extends Error {
  constructor(searchPath: string) {
    super(`None of the schemas of the search path (${searchPath}) exists`);
    this.name = 'NoSchema';
  }
}

/** 08 connection exceptions, 53 out of resources, 57P0x shutting down or starting up, 25P03 idle in a transaction. */
const isConnectionCode = (code: string): boolean => /^(08...|53...|57P0.|25P03)$/.test(code);

/** Messages of pg, without a code, about a connection that cannot be opened or used. */
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout e|Cannot use a pool after)/;

/** ECONNREFUSED, ECONNRESET, EPIPE, ENOTFOUND, … */
const isNetworkError = (error: Error): boolean =>
  'code' in error &&
  typeof error.code === 'string' &&
  /^(E(?!RR_)[A-Z]+|ERR_(STREAM|SOCKET|TLS)_\w+)$/.test(error.code);

export function fromPg(error: unknown): Error {
  if (error instanceof DatabaseError) {
    const failure = new PostgresError(error);
    return isConnectionCode(failure.code) ? new LostConnection(failure) : failure;
  }
  if (!(error instanceof Error)) return new Bug('Postgres failed', { cause: error });
  if (error.message === 'Query read timeout') return new NoAnswer(error);
  return isNetworkError(error) || brokenConnection.test(error.message) ? new LostConnection(error) : error;
}
