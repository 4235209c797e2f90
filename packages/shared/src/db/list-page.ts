import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { limits } from '../bus/limits.ts';
import type { ListRequest, Page } from '../contracts/paging.ts';
import { AppError } from '../errors.ts';
import { UnexpectedRow } from './check-rows.ts';
import type { Queries } from './database.ts';
import { decodeCursor, encodeCursor } from './list-cursor.ts';
import type { Condition } from './list-filters.ts';
import { rowsThatFit } from './rows-that-fit.ts';

export interface ListOptions<Row extends z.ZodType> {
  row: Row;
  columns: FragmentSqlToken;
  /** The table, or a join. */
  from: FragmentSqlToken;
  /** Filters and visibility; all must hold. */
  where: readonly Condition[];
  request: ListRequest;
  /** The time that orders the list, newest first; never null. `created_at` unless given. */
  newestBy?: FragmentSqlToken;
  /** Breaks ties; `id` unless given (a join may need `t.id`). */
  id?: FragmentSqlToken;
  /** What `sort` may name, as the contract has it. */
  sortable?: Readonly<Record<string, FragmentSqlToken>>;
}

/** What of an answer is left for its items. */
const maxItemBytes = limits.responseBytes - 16 * 1024;

/**
 * Every list of the platform: filtered and counted, by page number in any order, or by keyset in the fixed one. Where rows
 * are so large that a page is more than one answer can hold, the latter gives fewer of them; the former says how many fit.
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

const Numbered = z.looseObject({ list_total: z.number().int() });

async function numberedPage<Row extends z.ZodType>(
  queries: Queries,
  options: ListOptions<Row>,
  { page, size }: { page: number; size: number },
): Promise<Page<z.output<Row>>> {
  const { row, columns, from, where } = options;
  const found = await queries.any(sql.type(Numbered)`
    select ${columns}, (${countOf(options)}) as list_total
    from ${from} where ${sql.and(where)}
    order by ${orderOf(options)}
    limit ${size} offset ${(page - 1) * size}
  `);

  const items = found.map(({ list_total: _total, ...item }) => checked(row, item));
  const fitting = rowsThatFit(items, maxItemBytes);
  if (fitting < items.length) throw tooLarge(fitting);
  const num_total = found[0]?.list_total ?? (page === 1 ? 0 : await total(queries, options));
  return { page, per_page: size, items, num_total };
}

const Keyed = Numbered.extend({ list_micros: z.number().int(), list_id: z.uuid() });

async function keysetPage<Row extends z.ZodType>(
  queries: Queries,
  options: ListOptions<Row>,
  { after, size }: { after: string; size: number },
): Promise<Page<z.output<Row>>> {
  const { row, columns, from, where, newestBy = createdAt, id = idColumn } = options;
  const cursor = decodeCursor(after);
  const beyond =
    cursor &&
    sql.fragment`(${newestBy}, ${id}) < (timestamptz 'epoch' + ${cursor.micros} * interval '1 microsecond', ${cursor.id})`;

  // One row more than asked for tells whether there is a next page.
  const found = await queries.any(sql.type(Keyed)`
    select ${columns}, (${countOf(options)}) as list_total,
      (extract(epoch from ${newestBy}) * 1000000)::bigint as list_micros, ${id} as list_id
    from ${from} where ${sql.and([...where, beyond])}
    order by ${newestBy} desc, ${id} desc
    limit ${size + 1}
  `);

  const items = found
    .slice(0, size)
    .map(({ list_total: _total, list_micros: _micros, list_id: _id, ...item }) => checked(row, item));
  const fitting = rowsThatFit(items, maxItemBytes);
  const last = found.length > fitting ? found[fitting - 1] : undefined;
  return {
    page: 1,
    per_page: size,
    items: items.slice(0, fitting),
    num_total: found[0]?.list_total ?? (cursor === null ? 0 : await total(queries, options)),
    next: last === undefined ? null : encodeCursor({ micros: last.list_micros, id: last.list_id }),
  };
}

const tooLarge = (fitting: number) => {
  const rule = `must be at most ${fitting} for rows as large as these, or use after`;
  return new AppError('too_large', `query.per_page: ${rule}`, { errors: [{ path: 'query.per_page', message: rule }] });
};

const createdAt = sql.fragment`created_at`;
const idColumn = sql.fragment`id`;

type Counted = Pick<ListOptions<z.ZodType>, 'from' | 'where'>;

const countOf = ({ from, where }: Counted) => sql.fragment`select count(*) from ${from} where ${sql.and(where)}`;

/** Past the end no row brings the total along. */
const total = async (queries: Queries, options: Counted): Promise<number> =>
  (await queries.one(sql.type(Numbered)`select (${countOf(options)}) as list_total`)).list_total;

function orderOf({ request, sortable = {}, newestBy = createdAt, id = idColumn }: ListOptions<z.ZodType>) {
  const { sort } = request;
  if (sort === undefined) return sql.fragment`${newestBy} desc, ${id} desc`;

  const descending = sort.startsWith('-');
  const column = sortable[descending ? sort.slice(1) : sort];
  // The contract has let only its own names through, so this is a list that forgot one of them.
  if (column === undefined) throw new Error(`The list does not know how to sort by ${sort}`);
  return descending ? sql.fragment`${column} desc, ${id} desc` : sql.fragment`${column} asc, ${id} asc`;
}

function checked<Row extends z.ZodType>(schema: Row, item: unknown): z.output<Row> {
  const result = schema.safeParse(item);
  if (!result.success) throw new UnexpectedRow(result.error.issues);
  return result.data;
}
