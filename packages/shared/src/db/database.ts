import type { CommonQueryMethods, DatabasePool, DatabaseTransactionConnection } from 'slonik';

/** A connection pool whose rows are checked against the schema of each query. */
export type Database = DatabasePool;
/** What a repository function needs: the pool, or a transaction. */
export type Queries = CommonQueryMethods;
export type Transaction = DatabaseTransactionConnection;
