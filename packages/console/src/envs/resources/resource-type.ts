import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

type Role = 'Owner' | 'Maintainer';
export type LifecycleStep = 'create' | 'update' | 'delete';

export interface ResourceType {
  singular: string;
  plural: string;
  /** Who may do which step. An absent step is for the managing deployment alone. */
  lifecycle: Partial<Record<LifecycleStep, Role>>;
  /** The form of the properties. */
  valuesUi: JsonObject;
}

const text = (value: JsonValue | undefined, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;
const steps = ['create', 'update', 'delete'] as const;

/** The parts of a type's spec that the console shows. */
export function resourceTypeOf(key: string, spec: JsonObject): ResourceType {
  const allowed = isJsonObject(spec['lifecycle']) ? spec['lifecycle'] : {};
  const lifecycle: ResourceType['lifecycle'] = {};
  for (const step of steps) {
    const given = allowed[step];
    if (isJsonObject(given)) lifecycle[step] = given['allowed_role'] === 'Owner' ? 'Owner' : 'Maintainer';
  }
  const valuesUi = isJsonObject(spec['values_ui']) ? spec['values_ui'] : { inputs: [], outputs: { values: [] } };
  const singular = text(spec['name_singular'], key);
  return { singular, plural: text(spec['name_plural'], singular), lifecycle, valuesUi };
}

/** The props of an update: those that differ, and null for those to remove. Sensitive ones are not shown, so an absent one is not removed. */
export function changedProps(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).filter(([id, value]) => JSON.stringify(before[id]) !== JSON.stringify(value));
  const gone = Object.keys(before).filter((id) => !Object.hasOwn(after, id));
  return Object.fromEntries([...changed, ...gone.map((id): [string, null] => [id, null])]);
}
