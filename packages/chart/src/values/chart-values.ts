import { readFile } from 'node:fs/promises';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { type Entry, isGroup, readValues } from './read-values.ts';
import type { Schema } from './schema.ts';

export interface ChartValues {
  readonly umbrella: readonly Entry[];
  /** What each part has, with the defaults that most of them share. */
  readonly everyPart: readonly Entry[];
  readonly parts: Readonly<Record<CallerName, readonly Entry[]>>;
}

/** The values of the chart, from the files in `values`. */
export async function chartValues(root: URL, schema: Schema): Promise<ChartValues> {
  const read = async (source: string, schemaOfSource: Schema = {}) =>
    readValues(source, await readFile(new URL(`packages/chart/values/${source}.yaml`, root), 'utf8'), schemaOfSource);
  const schemaOf = (name: CallerName) => schema.properties?.[name];

  const everyPart = await read('every-part', schemaOf('tasks'));
  const part = async (name: CallerName) => merged(everyPart, await read(name, schemaOf(name)));
  const parts = await Promise.all(callerNames.map(async (name) => [name, await part(name)] as const));
  const byName = new Map(parts);
  const of = (name: CallerName) => byName.get(name) ?? [];
  return {
    umbrella: await read('umbrella', schema),
    everyPart,
    parts: {
      'api-gateway': of('api-gateway'),
      auth: of('auth'),
      tasks: of('tasks'),
      'cluster-sync': of('cluster-sync'),
      'registry-scan': of('registry-scan'),
      runner: of('runner'),
    },
  };
}

/** The values of every part, replaced by those that the part has itself, then its further ones. */
function merged(common: readonly Entry[], own: readonly Entry[]): Entry[] {
  const ownNames = new Map(own.map((entry) => [entry.name, entry]));
  const both = common.map((entry) => {
    const other = ownNames.get(entry.name);
    if (!other) return entry;
    const says = other.says || entry.says;
    if (isGroup(entry) && isGroup(other)) return { ...other, says, members: merged(entry.members, other.members) };
    return { ...other, says };
  });
  const known = new Set(common.map(({ name }) => name));
  return [...both, ...own.filter(({ name }) => !known.has(name))];
}
