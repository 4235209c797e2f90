import { z } from 'zod';
import type { Operation, Resource, ServiceName } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { UntestableContract } from './untestable-contract.ts';

/** Newest first, in PostgreSQL's notation: every kind of time that a column can hold. */
export const extremeTimes = [
  'infinity',
  '9999-12-31 23:59:59.999Z',
  '2255-06-06 00:00:00Z',
  '1969-12-31 23:59:59.999Z',
  '0001-01-01 00:00:00Z',
  '0044-03-15 00:00:00Z BC',
  '-infinity',
];

interface PageOfRows {
  items: readonly { id: string }[];
  next?: string | null | undefined;
}

/** The ids of a list in the order of a walk by keyset; `page` requests one page. */
export async function walkList(page: (after: string) => Promise<PageOfRows>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { items, next }: PageOfRows = await page(after);
    ids.push(...items.map(({ id }) => id));
    after = next ?? null;
  }
  return ids;
}

const Row = z.looseObject({ id: z.string() });
export type ListedRow = z.infer<typeof Row>;
const ListedPage = z.looseObject({ items: z.array(Row), next: z.string().nullish() });

export type CallOperation = (operation: Operation, request: object) => Promise<unknown>;

export interface ReadEveryWay {
  /** The ids of the walk by keyset. */
  walked: ListedRow[];
  /** The first ten of these rows, each read by its id, or from the list by its id. */
  read: ListedRow[];
  /** The ids by page number, for each order that the contract names. */
  sorted: Record<string, string[]>;
}

/** All rows of a resource by each of its reads, with this page size; by page number only in these orders. */
export async function readEveryWay(
  name: string,
  call: CallOperation,
  per_page: number,
  orders?: readonly string[],
): Promise<ReadEveryWay> {
  const { list, readById } = operationsOf(name, call);
  const pageOf = async (query: object) => ListedPage.parse(await call(list, { query: { per_page, ...query } }));
  const walked: ListedRow[] = [];
  await walkList(async (after) => {
    const page = await pageOf({ after });
    walked.push(...page.items);
    return page;
  });

  const read: ListedRow[] = [];
  for (const { id } of walked.slice(0, 10)) read.push(await readById(id));

  const sorted: Record<string, string[]> = {};
  for (const sort of orders ?? sortsOf(list)) {
    const ids: string[] = [];
    for (let page = 1; ids.length < walked.length; page += 1) {
      const { items } = await pageOf({ page, sort });
      if (items.length === 0) break;
      ids.push(...items.map(({ id }) => id));
    }
    sorted[sort] = ids;
  }
  return { walked, read, sorted };
}

/**
 * The orders in which a list did not show each of these rows exactly once. Orders by creation must also match the given rows,
 * newest first.
 */
export const wrongOrders = (sorted: ReadEveryWay['sorted'], newestFirst: readonly string[]): string[] =>
  Object.entries(sorted)
    .filter(([sort, ids]) => {
      if (sort === '-created_at') return ids.join() !== newestFirst.join();
      if (sort === 'created_at') return ids.join() !== newestFirst.toReversed().join();
      return ids.toSorted().join() !== newestFirst.toSorted().join();
    })
    .map(([sort]) => sort);

/** The size in bytes of the largest of these rows in an answer. */
export const largestOf = (rows: readonly ListedRow[]): number =>
  Math.max(...rows.map((row) => Buffer.byteLength(JSON.stringify(row)) + 1));

function operationsOf(name: string, call: CallOperation) {
  const { list, get }: Partial<Resource['operations']> = resources.find((each) => each.name === name)?.operations ?? {};
  if (!list || !(get || takesIds(list))) throw new UntestableContract(`${name} has no list and no read by id`);
  const readById = async (id: string): Promise<ListedRow> => {
    if (get) return Row.parse(await call(get, { id }));
    const { items } = ListedPage.parse(await call(list, { query: { ids: id } }));
    return Row.parse(items[0]);
  };
  return { list, readById };
}

const takesIds = ({ query }: Operation): boolean => query instanceof z.ZodObject && 'ids' in query.shape;

const sortsOf = ({ query }: Operation): string[] =>
  z
    .object({ properties: z.object({ sort: z.object({ enum: z.array(z.string()) }) }) })
    .parse(z.toJSONSchema(query ?? z.object({}), { io: 'input', unrepresentable: 'any' })).properties.sort.enum;

/** Names of the resources of a service that have a list to walk over, so that a test can check that it covers all. */
export const listedResources = (owner: ServiceName): string[] =>
  resources
    .filter((resource) => resource.owner === owner)
    .filter(({ operations: { list } }) => isWalkable(list?.query))
    .map(({ name }) => name);

const isWalkable = (query: unknown): boolean => query instanceof z.ZodObject && 'after' in query.shape;
