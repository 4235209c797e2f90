import type { JsonObject } from '@berth/client';
import { isJson, type JsonValue } from '@berth/contracts/fields/json';
import type { FieldChange } from '../plan/changed-fields.ts';
import { withIds } from '../documents/references.ts';
import { rowKey } from '../documents/row-key.ts';
import type { DocumentOf, SetDocument } from '../documents/set-document.ts';
import type { SetNames } from './set-names.ts';

/** The body of a change that sets these fields of a document. */
export async function bodyOf(
  document: SetDocument,
  fields: ReadonlySet<string>,
  names: SetNames,
  changes: readonly FieldChange[] = [],
): Promise<JsonObject> {
  const body: JsonObject = {};
  for (const field of fields) Object.assign(body, await partOf(document, field, names, changes));
  return body;
}

async function partOf(
  document: SetDocument,
  field: string,
  names: SetNames,
  changes: readonly FieldChange[],
): Promise<JsonObject> {
  if (document.kind === 'Cluster' && field === 'env')
    return { env_id: typeof document.env === 'string' ? names.idOf(rowKey('Env', document.env)) : null };
  if (document.kind === 'Secret' && field === 'contents') return { contents: await names.read(document.contents) };
  if (document.kind === 'Deployment') {
    const { env } = document;
    if (field === 'chart') return { helm_chart_id: names.chart(document.chart).id };
    if (field === 'config')
      return { config: withIds(document.config ?? {}, (reference) => names.idOfReference(env, reference)) };
  }
  if (document.kind === 'Resource' && field === 'props') return { props: changedProps(document, names, changes) };
  if (document.kind === 'Resource' && field === 'sensitive_props')
    return { props: { ...changedProps(document, names, changes), ...(await sensitiveProps(document, names)) } };
  const value: unknown = new Map<string, unknown>(Object.entries(document)).get(field);
  return isJson(value) ? { [field]: value } : {};
}

/** In a change, a prop that is left out stays, and null removes it. */
function changedProps(
  { env, props = {} }: DocumentOf<'Resource'>,
  names: SetNames,
  changes: readonly FieldChange[],
): JsonObject {
  const removed = changes.filter(({ path, to }) => path.startsWith('props.') && to === undefined);
  const nulls = removed.map(({ path }): [string, JsonValue] => [path.slice('props.'.length), null]);
  return { ...withIds(props, (reference) => names.idOfReference(env, reference)), ...Object.fromEntries(nulls) };
}

export async function sensitiveProps(
  { sensitive_props = {} }: DocumentOf<'Resource'>,
  { read }: SetNames,
): Promise<JsonObject> {
  const texts = Object.entries(sensitive_props).map(async ([name, source]) => [name, await read(source)] as const);
  return Object.fromEntries(await Promise.all(texts));
}
