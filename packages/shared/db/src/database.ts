import type { QuerySqlToken } from 'slonik';
import type { RecordedChanges } from './recorded-changes.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Checked<Row> = { readonly value: Row; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The part of a zod schema that checks rows (https://standardschema.dev). */
export interface RowSchema<Row> {
  readonly '~standard': { readonly validate: (row: unknown) => Checked<Row> | Promise<Checked<Row>> };
}

/** A statement written with slonik's `sql.type(schema)`: text, values and the shape of its rows. */
export type Query<Row = unknown> = Pick<QuerySqlToken, 'sql' | 'values'> & { readonly parser: RowSchema<Row> };

type FirstColumn<Row> = Row extends object ? Row[keyof Row] : unknown;

/** What a repository function needs: the pool, or a transaction. */
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
  /** All or nothing; inside of a transaction a savepoint. Retried after a deadlock or serialization failure. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Inside of it every query goes through it: one that takes another connection is refused. */
export interface Transaction extends Queries {
  /** What it changed and audited; a savepoint that is rolled back leaves nothing here. */
  readonly recorded: RecordedChanges;
  /** Called once the whole transaction is committed; the same function only once. */
  afterCommit(work: () => void): void;
}

/** A pool of connections. Its failures are `AppError`s where the caller can act on them. */
export interface Database extends Queries, AsyncDisposable {}
