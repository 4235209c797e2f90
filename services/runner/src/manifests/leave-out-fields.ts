import { stringify } from 'yaml';
import { betweenDocuments, mostAliases, readDocument } from './parse-manifest.ts';

/** A field to leave out of one object. */
export interface LeftOut {
  /** The number of the object in its document, which may be a list. */
  item: number;
  steps: readonly (string | number)[];
}

/** The documents of a manifest with the lines that part them, in turn. */
export const splitDocuments = (manifest: string): string[] =>
  manifest.split(new RegExp(`(${betweenDocuments.source})`, 'm'));

/** The document without the fields. It is written anew, so this is for documents that have such fields only. */
export function leaveOutFields(document: string, fields: readonly LeftOut[]): string {
  const value = exactValue(document);
  let changed = value;
  const isList = isRecord(value) && Array.isArray(value['items']);
  for (const { item, steps } of fields) changed = without(changed, isList ? ['items', item, ...steps] : steps);
  const comments = /^(?:\s*#.*\n|\s*\n)*/.exec(document)?.[0] ?? '';
  return `${comments === '' ? '\n' : comments}${writtenAnew(changed)}`;
}

/** What a document says, with whole numbers above 2^53, which would be rounded. */
export const exactValue = (document: string): unknown =>
  readDocument(document, { intAsBigInt: true }).toJS({ maxAliasCount: mostAliases });

/** YAML in which texts that other parsers take for something else, such as `yes`, are quoted. */
export const writtenAnew = (value: unknown): string =>
  stringify(value, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'QUOTE_DOUBLE',
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });

/** A copy along the path, since an alias may be part of several objects. */
function without(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === step ? without(item, rest) : item));
  if (!isRecord(value) || typeof step !== 'string' || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return { ...value, [step]: without(value[step], rest) };
  const { [step]: _, ...others } = value;
  return others;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
