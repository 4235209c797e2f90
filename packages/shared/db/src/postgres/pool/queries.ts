import { Bug } from '@berth/contracts/errors';
import { checkRows } from './check-rows.ts';
import type { Queries, Query } from '../../database.ts';

export interface RawResult {
  rows: unknown[];
  rowCount: number | null;
}

/** A query returned no row or too many for its verb. */
class UnexpectedRowCount extends Error {
  constructor(expected: string, count: number) {
    super(`expected ${expected}, got ${count}`);
    this.name = 'UnexpectedRowCount';
  }
}

/** All query verbs over one function that runs a statement. */
export function queriesOver(run: (query: Query) => Promise<RawResult>): Omit<Queries, 'transaction'> {
  const any: Queries['any'] = async (query) => checkRows(query.parser, (await run(query)).rows);
  const anyFirst: Queries['anyFirst'] = async (query) => (await any(query)).map(firstColumn);

  return {
    any,
    many: async (query) => atLeastOne(await any(query)),
    maybeOne: async (query) => oneAtMost(await any(query)),
    one: async (query) => exactlyOne(await any(query)),
    anyFirst,
    maybeOneFirst: async (query) => oneAtMost(await anyFirst(query)),
    oneFirst: async (query) => exactlyOne(await anyFirst(query)),
    exists: async (query) => (await run(query)).rows.length > 0,
    query: async (query) => {
      const { rows, rowCount } = await run(query);
      return { rows: checkRows(query.parser, rows), rowCount: rowCount ?? 0 };
    },
  };
}

function atLeastOne<T>(rows: readonly T[]): readonly T[] {
  if (rows.length === 0) throw new UnexpectedRowCount('one row or more', 0);
  return rows;
}

function oneAtMost<T>(rows: readonly T[]): T | null {
  if (rows.length > 1) throw new UnexpectedRowCount('one row at most', rows.length);
  return rows[0] ?? null;
}

function exactlyOne<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new UnexpectedRowCount('one row', rows.length);
  return row;
}

function firstColumn<Row>(row: Row): Row extends object ? Row[keyof Row] : unknown;
function firstColumn(row: unknown): unknown {
  const values = Object.values(Object(row));
  if (values.length !== 1) throw new Bug('expected rows of one column');
  return values[0];
}
