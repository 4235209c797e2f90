import type { JsonValue } from '@berth/client';
import { isJson, isJsonObject, sameJson } from '@berth/contracts/fields/json';
import type { SetDocument } from '../documents/set-document.ts';

export interface FieldChange {
  /** Such as `config.replicas`; the field of the document is what comes before the first dot. */
  path: string;
  /** Undefined if it is absent. */
  from: JsonValue | undefined;
  to: JsonValue | undefined;
  /** It may be secret, so it is not shown. */
  isHidden: boolean;
}

/** Fields that make a row what it is; they cannot change. */
const naming: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'name',
  'user',
  'collection',
  'deployment_kind',
  'type',
]);
const hidden: ReadonlySet<string> = new Set(['values_override', 'contents', 'sensitive_props']);

/** What a document changes of a row. Fields that it leaves out stay; contents of secrets cannot be compared. */
export function changedFields(
  live: SetDocument,
  wanted: SetDocument,
  { writeSecrets }: { writeSecrets: boolean },
): FieldChange[] {
  const before = new Map<string, unknown>(Object.entries(live));
  return Object.entries(wanted).flatMap(([field, to]: [string, unknown]) => {
    if (naming.has(field) || to === undefined || (field === 'env' && wanted.kind !== 'Cluster')) return [];
    if (field === 'contents' || field === 'sensitive_props')
      return writeSecrets ? [{ path: field, from: undefined, to: undefined, isHidden: true }] : [];
    return difference(field, before.get(field) ?? null, to);
  });
}

function difference(field: string, from: unknown, to: unknown): FieldChange[] {
  if (!isJson(from) || !isJson(to) || sameJson(from, to)) return [];
  const isHidden = hidden.has(field);
  if ((field !== 'config' && field !== 'props') || !isJsonObject(from) || !isJsonObject(to))
    return [{ path: field, from, to, isHidden }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) => {
    const [was, is] = [
      Object.hasOwn(from, name) ? from[name] : undefined,
      Object.hasOwn(to, name) ? to[name] : undefined,
    ];
    return sameJson(was, is) ? [] : [{ path: `${field}.${name}`, from: was, to: is, isHidden }];
  });
}

export const fieldsOf = (changes: readonly FieldChange[]): Set<string> =>
  new Set(changes.map(({ path }) => path.split('.', 1)[0] ?? path));
