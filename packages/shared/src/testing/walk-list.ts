import { z } from 'zod';
import type { ServiceName } from '../contracts/contract.ts';
import { resources } from '../contracts/index.ts';

/** Newest first, as Postgres spells them: every sort of time that a column may hold. */
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

/** The ids of a list in the order of a walk by keyset, over pages as `page` asks for them. */
export async function walkList(page: (after: string) => Promise<PageOfRows>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { items, next }: PageOfRows = await page(after);
    ids.push(...items.map(({ id }) => id));
    after = next ?? null;
  }
  return ids;
}

/** The names of the resources of a service that have a list to walk over, for tests that must not forget one. */
export const listedResources = (owner: ServiceName): string[] =>
  resources
    .filter((resource) => resource.owner === owner)
    .filter(({ operations: { list } }) => list?.outstanding !== true && asksForAfter(list?.query))
    .map(({ name }) => name);

const asksForAfter = (query: unknown): boolean => query instanceof z.ZodObject && 'after' in query.shape;
