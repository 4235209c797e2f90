import { type Client, everyItem, ProblemError } from '@berth/client';
import { callsOf } from '../names/calls-of.ts';
import { kindOf } from '../names/kind-named.ts';
import type { Column, Referred, Row } from '../names/kinds.ts';

/** The name that a column shows instead of an id; undefined if there is none. */
export type Names = (column: Column, id: string) => string | undefined;

/** The names of the rows that these columns refer to. */
export async function readNames(client: Client, columns: readonly Column[]): Promise<Names> {
  const referred = new Set(
    columns.flatMap((column) => [...referredIn(column), ...(column.through ? [column.through.of] : [])]),
  );
  const known = new Map(await Promise.all([...referred].map(async (of) => [of, await rowsOf(client, of)] as const)));
  return (column, id) => {
    for (const of of referredIn(column)) {
      const row = known.get(of)?.get(id);
      const { through } = column;
      if (row && through) return nameIn(through.of, known.get(through.of)?.get(String(row[through.field])));
      if (row) return nameIn(of, row);
    }
    return undefined;
  };
}

const referredIn = ({ of, orOf = [] }: Column): Referred[] => [...(of ? [of] : []), ...orOf];

function nameIn(of: Referred, row: Row | undefined): string | undefined {
  const field = of === 'helmCharts' ? 'image_tag' : (kindOf(of).name ?? 'name');
  const name = [row?.[field], row?.['display_name']].find((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? name : row?.id;
}

/** Only charts in use are read, since a catalogue may have thousands. Without permission for the list, ids are shown. */
async function rowsOf(client: Client, resource: Referred): Promise<Map<string, Row>> {
  const { list } = callsOf(client, { resource });
  const rows = new Map<string, Row>();
  const query = { per_page: 100, ...(resource === 'helmCharts' && { in_use: true }) };
  try {
    for await (const row of everyItem((after) => list({ query: { ...query, after } }))) rows.set(row.id, row);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'forbidden') throw error;
  }
  return rows;
}
