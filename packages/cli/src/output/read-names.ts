import { type Client, everyItem } from '@berth/client';
import { callsOf } from '../names/calls-of.ts';
import { kindOf } from '../names/kind-named.ts';
import type { Column, Referred } from '../names/kinds.ts';

export type Names = (of: Referred, id: string) => string | undefined;

/** The names of the rows that these columns refer to. */
export async function readNames(client: Client, columns: readonly Column[]): Promise<Names> {
  const referred = [...new Set(columns.flatMap(({ of }) => of ?? []))];
  const known = new Map(await Promise.all(referred.map(async (of) => [of, await namesOf(client, of)] as const)));
  return (of, id) => known.get(of)?.get(id);
}

async function namesOf(client: Client, resource: Referred): Promise<Map<string, string>> {
  const { list } = callsOf(client, { resource });
  const names = new Map<string, string>();
  for await (const row of everyItem((after) => list({ query: { after, per_page: 100 } })))
    names.set(row.id, String(row[kindOf(resource).name ?? 'name'] ?? row['display_name']));
  return names;
}
