import { inputOf } from '@berth/chart-extensions/form/outputs';
import type { JsonObject } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';
import type { KnownKey } from '../../editor/keys-at.ts';
import type { Form } from '../../form/parsed-form.ts';

/** The values of a chart that are known without its package: those that its form writes, and those that are overridden already. */
export function knownKeys(form: Form | null, override: JsonObject | null): KnownKey[] {
  const labels = new Map(form?.inputs.map(({ id, label }) => [id, label]));
  const written = (form?.outputs.values ?? []).map(({ path, value }): KnownKey => {
    const cell = path.findIndex((part) => part.startsWith('['));
    const keys = cell === -1 ? path : path.slice(0, cell);
    return { path: keys, meaning: labels.get(inputOf(value)) };
  });
  const kept: KnownKey = { path: ['berth', 'fields', 'keep'], meaning: 'fields that others set' };
  return [...written, ...pathsIn(override ?? {}, []), kept];
}

const pathsIn = (values: JsonObject, way: string[]): KnownKey[] =>
  Object.entries(values).flatMap(([key, value]) => {
    const path = [...way, key];
    return isJsonObject(value) ? [{ path }, ...pathsIn(value, path)] : [{ path }];
  });
