import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { objectsIn } from '../manifests/lists-in.ts';

const counts = [
  'replicas',
  'currentReplicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'fullyLabeledReplicas',
] as const;

/** A controller leaves out counts that are 0. */
export const replicasOf = (object: JsonObject): Record<(typeof counts)[number], number> => {
  const [
    replicas = 0,
    currentReplicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
    labeled = 0,
  ] = counts.map((field) => number(object, 'status', field) ?? 0);
  return {
    replicas,
    currentReplicas,
    updatedReplicas,
    readyReplicas,
    availableReplicas,
    fullyLabeledReplicas: labeled,
  };
};

export const conditionsOf = (object: JsonObject) =>
  objectsIn(at(object, 'status', 'conditions')).map((condition) => ({
    type: text(condition, 'type'),
    status: text(condition, 'status'),
    reason: text(condition, 'reason'),
    message: text(condition, 'message'),
  }));

/** What is at a path within an object; undefined if there is nothing. */
export const at = (object: JsonObject, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((value, name) => (isJsonObject(value) ? value[name] : undefined), object);

export function text(object: JsonObject, ...path: string[]): string {
  const value = at(object, ...path);
  return typeof value === 'string' ? value : '';
}

export function number(object: JsonObject, ...path: string[]): number | null {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : null;
}
