import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';

/** The texts of a list; empty for anything else. */
export const textsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The objects of a list; empty for anything else. */
export const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : [];
