import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { limits } from '@berth/bus/protocol/limits';
import type { ListRequest, Page } from '@berth/contracts/definition/paging';
import { AppError, Bug } from '@berth/contracts/errors';
import type { Queries } from '../database.ts';
import { decodeCursor, encodeCursor } from './list-cursor.ts';
import type { Condition } from './list-filters.ts';
import { listRow } from './list-row.ts';
import { rowsThatFit } from './rows-that-fit.ts';
import { timeOf } from './time-of-cursor.ts';

export interface ListOptions<Row extends z.ZodType> {
  row: Row;
  columns: FragmentSqlToken;
  /** Columns that are computed over `page`, for its rows only: those in `columns` are also computed for rows that an offset skips. */
  columnsOfPage?: FragmentSqlToken;
  /** The table, or a join. */
  from: FragmentSqlToken;
  /** A smaller table for the total, if the joins in `from` neither add nor remove rows and no condition uses them. */
  counted?: FragmentSqlToken;
  /** Filters and visibility, combined with AND. */
  where: readonly Condition[];
  request: ListRequest;
  /** The time by which the list is ordered, newest first; never null. Default: `created_at`. */
  newestBy?: FragmentSqlToken;
  /** Breaks ties. Default: `id`; a join may need `t.id`. */
  id?: FragmentSqlToken;
  /** The columns that `sort` may name, as in the contract. */
  sortable?: Readonly<Record<string, FragmentSqlToken>>;
  /**
   * An upper bound for a row's bytes in the answer, from columns that are cheap to read. For tables with large rows: Postgres
   * then sends no more rows than fit into one answer.
   */
  bytes?: FragmentSqlToken;
  /** Selects the number of rows, for tables that can do so without counting them. */
  numTotal?: FragmentSqlToken | undefined;
}

/** Bytes of an answer that are left for its items. */
const maxItemBytes = limits.responseBytes - 16 * 1024;

/**
 * Implements every list of the platform: filtered and counted, by page number in any order or by keyset in the default one. If a
 * page of large rows exceeds one answer, keyset lists return fewer rows, and lists by page number say how many fit.
 */
export async function listPage<Row extends z.ZodType>(
  queries: Queries,
  options: ListOptions<Row>,
): Promise<Page<z.output<Row>>> {
  const { page = 1, per_page, page_size, after } = options.request;
  const size = per_page ?? page_size ?? 50;
  return after === undefined
    ? await numberedPage(queries, options, { page, size })
    : await keysetPage(queries, options, { after, size });
}

async function numberedPage<Row extends z.ZodType>(
  queries: Queries,
  options: ListOptions<Row>,
  { page, size }: { page: number; size: number },
): Promise<Page<z.output<Row>>> {
  const { row, columns, from, where } = options;
  const before = (page - 1) * size;
  const statement = sql.unsafe`${fitting(options, {
    page: sql.fragment`
        select ${columns} ${sizeOf(options)}
        from ${from} where ${sql.and(where)}
        order by ${orderOf(options)}
        limit ${size + 1} offset ${before}
      `,
    total: totalWith(options, { before, size }),
  })}`;
  const found = await queries.any({ ...statement, parser: listRow(row) });

  const items = found.slice(0, size).map(({ item }) => item);
  const fit = fittingOf(options, items);
  if (fit < Math.min(found[0]?.found ?? items.length, size)) throw tooLarge(fit);
  const num_total = found[0]?.total ?? (page === 1 ? 0 : await total(queries, options));
  return { page, per_page: size, items, num_total };
}

async function keysetPage<Row extends z.ZodType>(
  queries: Queries,
  options: ListOptions<Row>,
  { after, size }: { after: string; size: number },
): Promise<Page<z.output<Row>>> {
  const { row, columns, from, where, newestBy = createdAt, id = idColumn } = options;
  const cursor = decodeCursor(after);
  const beyond = cursor && sql.fragment`(${newestBy}, ${id}) < (${timeOf(cursor)}, ${cursor.id})`;

  const statement = sql.unsafe`${fitting(options, {
    page: sql.fragment`
        select ${columns},
          trim_scale(extract(epoch from ${newestBy}) * 1000000)::text as list_micros, ${id} as list_id
          ${sizeOf(options)}
        from ${from} where ${sql.and([...where, beyond])}
        order by ${newestBy} desc, ${id} desc
        limit ${size + 1}
      `,
    total: cursor === null ? totalWith(options, { before: 0, size }) : sql.fragment`(${countOf(options)})`,
  })}`;
  const found = await queries.any({ ...statement, parser: listRow(row) });

  const items = found.slice(0, size).map(({ item }) => item);
  const fit = fittingOf(options, items);
  const last = (found[0]?.found ?? found.length) > fit ? found[fit - 1] : undefined;
  return {
    page: 1,
    per_page: size,
    items: items.slice(0, fit),
    num_total: found[0]?.total ?? (cursor === null ? 0 : await total(queries, options)),
    next: last === undefined ? null : encodeCursor({ micros: last.micros, id: last.id }),
  };
}

/** If the table stores the size of its rows, Postgres has already left out those that do not fit. */
const fittingOf = ({ bytes }: Sized, items: readonly unknown[]): number =>
  bytes === undefined ? rowsThatFit(items, maxItemBytes) : items.length;

const sizeOf = ({ bytes }: Sized) => (bytes === undefined ? sql.fragment`` : sql.fragment`, ${bytes} as list_bytes`);

interface PageStatement {
  /** Reads one row more than the page holds, to show whether the list continues. */
  page: FragmentSqlToken;
  total: FragmentSqlToken;
}

/**
 * The rows of a page that fit into one answer, at least one. Postgres reads only the size of the others, because large values are
 * stored apart from their rows. Window functions without an order keep the order of the page.
 */
const fitting = ({ bytes, columnsOfPage }: Fitted, { page, total: listTotal }: PageStatement) => {
  const columns = sql.join(
    [sql.fragment`page.*`, ...(columnsOfPage ? [columnsOfPage] : []), sql.fragment`${listTotal} as list_total`],
    sql.fragment`, `,
  );
  if (bytes === undefined) return sql.fragment`with page as materialized (${page}) select ${columns} from page`;
  return sql.fragment`
    with page as materialized (${page})
    select ${columns} from (
      select page.*, count(*) over () as list_found, sum(list_bytes) over (rows unbounded preceding) as list_sum
      from page
    ) page
    where list_sum <= ${maxItemBytes} or list_sum = list_bytes
  `;
};

/** Rows are counted only if the list continues after the page: Postgres computes only the chosen branch. */
const totalWith = (options: Filtered, { before, size }: { before: number; size: number }) => sql.fragment`
  case when (select count(*) from page) > ${size} then (${countOf(options)}) else ${before} + (select count(*) from page) end`;

const tooLarge = (fitting: number) => {
  const rule = `must be at most ${fitting} for rows as large as these, or use after`;
  return new AppError('too_large', `query.per_page: ${rule}`, { errors: [{ path: 'query.per_page', message: rule }] });
};

const createdAt = sql.fragment`created_at`;
const idColumn = sql.fragment`id`;

type Filtered = Pick<ListOptions<z.ZodType>, 'from' | 'where' | 'counted' | 'numTotal'>;
type Fitted = Pick<ListOptions<z.ZodType>, 'bytes' | 'columnsOfPage'>;
type Sized = Pick<ListOptions<z.ZodType>, 'bytes'>;

const countOf = ({ from, where, counted = from, numTotal }: Filtered) =>
  numTotal ?? sql.fragment`select count(*) from ${counted} where ${sql.and(where)}`;

const Total = z.object({ list_total: z.number().int() });

/** A page past the end has no row with the total. */
const total = async (queries: Queries, options: Filtered): Promise<number> =>
  (await queries.one(sql.type(Total)`select (${countOf(options)}) as list_total`)).list_total;

function orderOf({ request, sortable = {}, newestBy = createdAt, id = idColumn }: ListOptions<z.ZodType>) {
  const { sort } = request;
  if (sort === undefined) return sql.fragment`${newestBy} desc, ${id} desc`;

  const descending = sort.startsWith('-');
  const column = sortable[descending ? sort.slice(1) : sort];
  // The contract accepts only its own columns, so this one is missing from the list's options.
  if (column === undefined) throw new Bug(`The list cannot sort by ${sort}`);
  return descending ? sql.fragment`${column} desc, ${id} desc` : sql.fragment`${column} asc, ${id} asc`;
}
