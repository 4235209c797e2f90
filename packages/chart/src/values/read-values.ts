import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { resources, type Schema } from './schema.ts';
import { UnusableSource } from './unusable-source.ts';

/** One value of the chart. */
export interface Value {
  readonly name: string;
  readonly says: string;
  readonly schema: Schema;
  readonly standard: unknown;
}

/** Values under one name. */
export interface Group {
  readonly name: string;
  readonly says: string;
  readonly members: readonly Entry[];
}

export type Entry = Value | Group;

export const isGroup = (entry: Entry): entry is Group => 'members' in entry;

/** The values of one source, each with the comment above it. A value without a schema is a mistake of the source. */
export function readValues(source: string, text: string, schema: Schema): Entry[] {
  const document = parseDocument(text);
  const { contents, errors } = document;
  if (errors[0] || !isMap(contents)) throw new UnusableSource(`${source} is not a map: ${errors[0]?.message}`);
  contents.commentBefore ??= document.commentBefore;
  return membersOf({ path: source, map: contents, schema });
}

interface Level {
  path: string;
  map: YAMLMap;
  schema: Schema;
}

function membersOf({ path, map, schema }: Level): Entry[] {
  return map.items.map(({ key, value }, index) => {
    if (!isScalar(key)) throw new UnusableSource(`${path} has a key that is not text`);
    const name = String(key.value);
    const known = schema.properties?.[name];
    if (!known) throw new UnusableSource(`${path}.${name}: src/values has no schema for it`);
    // YAML gives the comment above the first member to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    const says = comment.replaceAll('\n', ' ').trim();
    if (isMap(value) && value.items.length > 0 && known.properties && known !== resources) {
      return { name, says, members: membersOf({ path: `${path}.${name}`, map: value, schema: known }) };
    }
    const standard: unknown = map.toJSON()[name];
    return { name, says, schema: known, standard };
  });
}
