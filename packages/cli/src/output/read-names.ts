import { type Client, everyItem } from '@berth/client';
import { callsOf } from '../names/calls-of.ts';
import { kindOf } from '../names/kind-named.ts';
import type { Column, Referred, Row } from '../names/kinds.ts';

/** The name that a column shows instead of an id; undefined if there is none. */
export type Names = (column: Column, id: string) => string | undefined;

/** The names of the rows that these columns refer to. */
export async function readNames(client: Client, columns: readonly Column[]): Promise<Names> {
  const referred = new Set(
    columns.flatMap(({ of, through }) => [...(of ? [of] : []), ...(through ? [through.of] : [])]),
  );
  const known = new Map(await Promise.all([...referred].map(async (of) => [of, await rowsOf(client, of)] as const)));
  return ({ of, through }, id) => {
    if (of === undefined) return undefined;
    const row = known.get(of)?.get(id);
    if (!row) return undefined;
    return through ? nameIn(through.of, known.get(through.of)?.get(String(row[through.field]))) : nameIn(of, row);
  };
}

const nameIn = (of: Referred, row: Row | undefined): string | undefined =>
  row && String(row[kindOf(of).name ?? 'name'] ?? row['display_name']);

async function rowsOf(client: Client, resource: Referred): Promise<Map<string, Row>> {
  const { list } = callsOf(client, { resource });
  const rows = new Map<string, Row>();
  for await (const row of everyItem((after) => list({ query: { after, per_page: 100 } }))) rows.set(row.id, row);
  return rows;
}
