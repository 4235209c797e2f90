import { stringify } from 'yaml';
import { betweenDocuments, mostAliases, readDocument } from './parse-manifest.ts';

/** A field to leave out of one object. */
export interface LeftOut {
  /** The number of the object in its document, which may be a list. */
  item: number;
  steps: readonly (string | number)[];
}

/** The documents of a manifest, alternating with the lines that separate them. */
export const splitDocuments = (manifest: string): string[] =>
  manifest.split(new RegExp(`(${betweenDocuments.source})`, 'm'));

/** The document without the fields. It is written anew, so call this only if there are fields to leave out. */
export function leaveOutFields(document: string, fields: readonly LeftOut[]): string {
  const value = exactValue(document);
  let changed = value;
  const isList = isRecord(value) && Array.isArray(value['items']);
  for (const { item, steps } of fields) changed = without(changed, isList ? ['items', item, ...steps] : steps);
  const comments = /^(?:\s*#.*\n|\s*\n)*/.exec(document)?.[0] ?? '';
  return `${comments === '' ? '\n' : comments}${writtenAnew(changed)}`;
}

/** The value of a document. Integers above 2^53 stay exact; as JavaScript numbers they would be rounded. */
export const exactValue = (document: string): unknown =>
  readDocument(document, { intAsBigInt: true }).toJS({ maxAliasCount: mostAliases });

/** YAML with all texts in quotes, since other parsers take some plain ones, such as `yes`, for something else. */
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
