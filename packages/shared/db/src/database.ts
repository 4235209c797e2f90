import type { QuerySqlToken } from 'slonik';
import type { RecordedChanges } from './recorded-changes.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Checked<Row> = { readonly value: Row; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The part of a zod schema that validates rows (https://standardschema.dev). */
export interface RowSchema<Row> {
  readonly '~standard': { readonly validate: (row: unknown) => Checked<Row> | Promise<Checked<Row>> };
}

/** A statement made with slonik's `sql.type(schema)`: its text, its values and the shape of its rows. */
export type Query<Row = unknown> = Pick<QuerySqlToken, 'sql' | 'values'> & { readonly parser: RowSchema<Row> };

type FirstColumn<Row> = Row extends object ? Row[keyof Row] : unknown;

/** The queries of a repository: those of the pool or of a transaction. */
export interface Queries {
  any<Row>(query: Query<Row>): Promise<readonly Row[]>;
  anyFirst<Row>(query: Query<Row>): Promise<readonly FirstColumn<Row>[]>;
  exists(query: Query): Promise<boolean>;
  /** At least one. */
  many<Row>(query: Query<Row>): Promise<readonly Row[]>;
  maybeOne<Row>(query: Query<Row>): Promise<Row | null>;
  maybeOneFirst<Row>(query: Query<Row>): Promise<FirstColumn<Row> | null>;
  one<Row>(query: Query<Row>): Promise<Row>;
  oneFirst<Row>(query: Query<Row>): Promise<FirstColumn<Row>>;
  query<Row>(query: Query<Row>): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number }>;
  /** Runs work in a transaction; within a transaction, in a savepoint. Retried after a deadlock or serialization failure. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Every query inside must use it: one that takes another connection is refused. */
export interface Transaction extends Queries {
  /** The changes and audit entries so far; those of a savepoint that was rolled back are removed. */
  readonly recorded: RecordedChanges;
  /** Calls the function once the whole transaction has committed; a function that was added twice is called once. */
  afterCommit(work: () => void): void;
}

/** A pool of connections. Its failures are `AppError`s if the caller can act on them. */
export interface Database extends Queries, AsyncDisposable {}
