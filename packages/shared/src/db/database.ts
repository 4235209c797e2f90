import type { CommonQueryMethods, DatabaseTransactionConnection } from 'slonik';

/** What a repository function needs: the pool, or a transaction. */
export type Queries = Pick<
  CommonQueryMethods,
  | 'any'
  | 'anyFirst'
  | 'exists'
  | 'many'
  | 'manyFirst'
  | 'maybeOne'
  | 'maybeOneFirst'
  | 'one'
  | 'oneFirst'
  | 'query'
  | 'transaction'
>;

/** A connection pool whose rows are checked against the schema of each query. */
export type Database = Queries & AsyncDisposable;

export type Transaction = DatabaseTransactionConnection;
