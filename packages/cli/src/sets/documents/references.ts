import type { JsonObject, JsonValue } from '@berth/client';

/** An object with this one key only; null if it has others. */
function only(value: JsonValue, key: string): JsonValue | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.keys(value).length === 1 && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}

const isReference = (value: JsonValue): string | null => {
  const named = only(value, 'ref');
  return typeof named === 'string' ? named : null;
};

/** An input selects one item or a list of them. */
function mapItems(inputs: JsonObject, map: (item: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, Array.isArray(value) ? value.map(map) : map(value)]),
  );
}

export const referencesIn = (inputs: JsonObject): string[] =>
  Object.values(inputs)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((item) => isReference(item) ?? []);

/** Replaces references by ids. `{literal: …}` stands for the value in it, so that a value may look like a reference. */
export const withIds = (inputs: JsonObject, idOf: (reference: string) => string): JsonObject =>
  mapItems(inputs, (item) => {
    const reference = isReference(item);
    if (reference !== null) return idOf(reference);
    return only(item, 'literal') ?? item;
  });

/** The reverse: references in place of the ids of rows that have one. */
export const withReferences = (inputs: JsonObject, referenceOf: (id: string) => string | null): JsonObject =>
  mapItems(inputs, (item) => {
    if (typeof item === 'string') {
      const reference = referenceOf(item.toLowerCase());
      return reference === null ? item : { ref: reference };
    }
    return isReference(item) !== null || only(item, 'literal') !== null ? { literal: item } : item;
  });
