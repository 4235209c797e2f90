import { isForbiddenKey, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { shownAnnotations } from './shown-annotations.ts';

/** `resourceVersion` changes with every status update; the others are large bookkeeping of tools and may repeat secrets. */
const dropped = new Set(['managedFields', 'resourceVersion', 'selfLink']);
/** Larger metadata is too much for a row that goes over the bus to a browser. */
const maxCharacters = 32 * 1024;
const maxDepth = 16;

/** The metadata of an object without bookkeeping, bounded, and limited to what Postgres and the contracts can store. */
export function storableMetadata(metadata: JsonObject): JsonObject {
  const kept = entriesOf(metadata).filter(([key]) => !dropped.has(key));
  const stored = objectOf(
    kept.flatMap(([key, value]) => (key === 'annotations' ? annotationsOf(value) : [[key, value]])),
  );
  return JSON.stringify(stored).length <= maxCharacters ? stored : {};
}

function annotationsOf(value: JsonValue): [string, JsonValue][] {
  const annotations = shownAnnotations(value);
  return Object.keys(annotations).length === 0 ? [] : [['annotations', annotations]];
}

function storable(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth - 1));
  return objectOf(entriesOf(value), depth - 1);
}

const objectOf = (entries: [string, JsonValue][], depth = maxDepth): JsonObject =>
  Object.fromEntries(entries.map(([key, value]) => [storableText(key), storable(value, depth)]));

const entriesOf = (object: JsonObject): [string, JsonValue][] =>
  Object.entries(object).filter(([key]) => !isForbiddenKey(key));

/** Postgres refuses NUL and lone surrogates in JSON. */
const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();
