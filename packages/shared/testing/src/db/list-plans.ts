import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import type { Database, Queries, Query } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { listedResources } from '../contracts/walk-list.ts';
import { UntestableContract } from '../contracts/untestable-contract.ts';
import { openTestDatabase } from '../open-test-database.ts';

/** The number of rows in each list. */
const manyRows = 100_000;

/** A member of one of many envs, or a caller who sees all envs. */
type Seeing = 'one env' | 'all envs';

export const oneEnv = '00000000-0000-4000-8000-000000000003';
/** The envs that this caller sees. */
export const visible = { 'all envs': 'all', 'one env': [oneEnv] } as const satisfies Record<Seeing, unknown>;

export interface PlannedList {
  /** Fills the table with `manyRows` rows; absent for a list over the table of another one. */
  rows?: FragmentSqlToken;
  /** Calls the list as the service does. */
  list(queries: Queries, query: object, seeing: Seeing): Promise<unknown>;
  /** Values for filters that cannot be taken from a row. */
  values?: Readonly<Record<string, readonly unknown[]>>;
}

/** A UUID for each number, always the same. */
export const nthId = (n: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`('00000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** The UUID of a row among `numbers`. */
export const rowId = nthId(sql.fragment`n`);

/** The UUIDs of as many rows as a filter takes. */
export const someIds = Array.from({ length: 100 }, (_, n) => {
  const digits = (977 * (n + 1)).toString(16).padStart(12, '0');
  return `00000000-0000-4000-8000-${digits}`;
});

/** One of `many` values, in an order independent of that of the rows. */
export const oneOf = (count: number, salt = 0): FragmentSqlToken =>
  sql.fragment`(abs(hashint8(n + ${salt * 1_000_003})) % ${count})::int`;

/** The rows of a table, numbered from 1. */
export const numbers = sql.fragment`generate_series(1::bigint, ${manyRows}) as n`;

export const aTime = (salt = 0): FragmentSqlToken =>
  sql.fragment`timestamptz '2024-01-01Z' + ${oneOf(2_000_000_000, salt)} * interval '10 milliseconds'`;

/** Writes the rows of all lists and vacuums their tables like autovacuum. */
async function fillLists(db: Database, lists: Readonly<Record<string, PlannedList>>): Promise<void> {
  for (const [table, { rows }] of Object.entries(lists)) {
    if (rows === undefined) continue;
    await db.transaction(async (tx) => {
      // Turns off foreign keys, since these rows refer to rows that do not exist.
      await tx.query(statement`set local session_replication_role = replica`);
      // Building an index is much faster than maintaining it.
      const indexes = await tx.any(indexOf`
        select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
        from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
        where i.indrelid = ${table}::regclass and c.oid is null
      `);
      for (const { name } of indexes) await tx.query(statement`drop index ${sql.identifier([name])}`);
      await tx.query(statement`${rows}`);
      for (const { definition } of indexes) await tx.query({ ...statement``, sql: definition });
    });
  }
  await db.query(statement`vacuum (analyze)`);
}

const indexOf = sql.type(z.object({ name: z.string(), definition: z.string() }));

interface Plan {
  'Node Type': string;
  'Subplan Name'?: string | undefined;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  'Rows Removed by Index Recheck'?: number | undefined;
  Plans?: Plan[] | undefined;
}
const Plan: z.ZodType<Plan> = z.looseObject({
  'Node Type': z.string(),
  'Subplan Name': z.string().optional(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  'Rows Removed by Index Recheck': z.number().optional(),
  get Plans() {
    return z.array(Plan).optional();
  },
});
const Explained = z.object({ 'QUERY PLAN': z.tuple([z.looseObject({ Plan })]) });

/** Explains each distinct list statement instead of returning its rows. */
function explaining(db: Queries, plans: Plan[], explained: Set<string>): Queries {
  const explain = async (query: Query) => {
    const statement = JSON.stringify([query.sql, query.values]);
    if (explained.has(statement)) return;
    explained.add(statement);
    const [row] = await db.any({
      ...query,
      sql: `explain (analyze, timing off, format json) ${query.sql}`,
      parser: sql.type(Explained)``.parser,
    });
    if (row) plans.push(row['QUERY PLAN'][0].Plan);
  };
  return {
    ...db,
    any: async (query) => {
      await explain(query);
      return [];
    },
  };
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const rowsOf = (node: Plan): number => node['Actual Rows'] * node['Actual Loops'];
const readBy = (node: Plan): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

/** A full page, plus the row that shows whether more follow. */
const largestPage = 102;
/**
 * Allowed for a filter and an order without a common index: PostgreSQL walks the index of the order, or sorts the rows that match
 * the filter, whichever is cheaper. Sorting up to ten pages takes less than a millisecond, but an index for each pair would slow
 * down every write.
 */
const mostSorted = 1_000;
/** With three conditions, PostgreSQL reads the rows that match two of them. */
const mostRead = manyRows / 10 + largestPage;

/** Reasons why the cost of a statement grows with the number of rows. */
function faultsOf(plan: Plan): string[] {
  const nodes = nodesOf(plan);
  const page = nodes.find((node) => node['Subplan Name'] === 'CTE page');
  if (!page) return [`no page: ${JSON.stringify(plan)}`];
  const ofPage = nodesOf(page);
  const counted = nodes.filter((node) => !ofPage.includes(node));

  const scans = ofPage.filter((node) => node['Node Type'] === 'Seq Scan' && readBy(node) > largestPage);
  const sorts = ofPage.filter(
    (node) => node['Node Type'].endsWith('Sort') && (node.Plans ?? []).some((child) => rowsOf(child) > mostSorted),
  );
  const reads = ofPage.filter((node) => node['Node Type'].includes('Scan') && readBy(node) > mostRead);
  // A count reads the rows that it counts; to count much of a table, it may scan the table.
  const wasted = counted.filter((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) * 100 < readBy(node));
  return [
    ...scans.map((node) => `reads all of ${node['Relation Name']}`),
    ...sorts.map(
      (node) =>
        `sorts ${Math.max(...(node.Plans ?? []).map(rowsOf))} rows (${node.Plans?.map((p) => p['Index Name'] ?? p['Node Type']).join()})`,
    ),
    ...wasted.map((node) => `reads all of ${node['Relation Name']} to count ${rowsOf(node)} rows`),
    ...reads.map((node) => `reads ${readBy(node)} rows of ${node['Relation Name'] ?? node['Index Name']} for a page`),
  ];
}

const ListInput = z.object({
  properties: z.record(z.string(), z.looseObject({ enum: z.array(z.string()).optional() })),
});
const ofEveryList = ['page', 'per_page', 'page_size', 'sort', 'after'];

export interface PlannedLists {
  owner: ServiceName;
  lists: Readonly<Record<string, PlannedList>>;
}

/** The faults of all lists of a service, in a separate database; `before` fills further tables. */
export async function faultsAtManyRows({
  migrations,
  before,
  ...planned
}: PlannedLists & { migrations: URL; before?: (db: Database) => Promise<unknown> }): Promise<string[]> {
  const { owner: service, lists } = planned;
  await using database = await openTestDatabase({ service, migrations, statementTimeoutMs: 100_000 });
  const { db } = database;
  await before?.(db);
  await fillLists(db, lists);
  return await faultyPlans({ ...planned, db });
}

/**
 * Tries each list in each order, without a filter and with each filter, for a caller who sees all envs and for one who sees one
 * env. Returns the reasons why the cost of a statement grows with the number of rows.
 */
async function faultyPlans({ owner, db, lists }: PlannedLists & { db: Database }): Promise<string[]> {
  const missing = listedResources(owner).filter((name) => lists[name] === undefined);
  if (missing.length > 0) throw new UntestableContract(`These lists have no query plans: ${missing.join(', ')}`);

  const faults: string[] = [];
  const explained = new Set<string>();
  for (const [name, { list, values = {} }] of Object.entries(lists)) {
    const { properties } = ListInput.parse(
      z.toJSONSchema(resources.find((each) => each.name === name)?.operations.list?.query ?? z.object({}), {
        io: 'input',
        unrepresentable: 'any',
      }),
    );
    const { items } = z
      .object({ items: z.array(z.record(z.string(), z.unknown())).min(1) })
      .parse(await list(db, { page: manyRows / 2, per_page: 1 }, 'all envs'));
    const filters = Object.keys(properties)
      .filter((key) => !ofEveryList.includes(key))
      .flatMap((key) => (values[key] ?? [items[0]?.[key]]).map((value) => ({ [key]: value })));
    const orders = [{}, ...(properties.sort?.enum ?? []).map((sort) => ({ sort })), { after: '' }, { after: halfWay }];
    for (const seeing of ['all envs', 'one env'] as const) {
      for (const filter of [{}, ...filters]) {
        if (Object.values(filter).includes(undefined))
          throw new UntestableContract(`A filter has no value to try: ${name} ${JSON.stringify(filter)}`);
        for (const order of orders) {
          const plans: Plan[] = [];
          await list(explaining(db, plans, explained), { ...filter, ...order }, seeing);
          const found = plans.flatMap(faultsOf);
          if (found.length > 0)
            faults.push(`${name} ${JSON.stringify({ ...filter, ...order })} of ${seeing}: ${found.join(', ')}`);
        }
      }
    }
  }
  return faults;
}

const halfWay = Buffer.from(`${Date.parse('2024-04-25Z')}000 00000000-0000-4000-8000-000000000000`).toString(
  'base64url',
);
