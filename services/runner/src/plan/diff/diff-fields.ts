import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '@berth/contracts/fields/json';
import { isSame, isUnset } from '../../manifests/same-value.ts';

/** A field that differs; an absent side is undefined. */
export interface FieldChange {
  /** Segments; an item of a list is named by its key, as `name=web`. */
  path: readonly string[];
  before: JsonValue | undefined;
  after: JsonValue | undefined;
  /** True if the rendering with markers in place of secrets differs here. */
  followsSecret: boolean;
}

export interface FourSides {
  /** The value in the last release; undefined if it lacks the field. */
  old: JsonValue | undefined;
  live: JsonValue | undefined;
  wanted: JsonValue | undefined;
  /** The value in the rendering with markers; equal to `wanted` if nothing was marked. */
  marked: JsonValue | undefined;
}

/** Shown in a path instead of a key that was made from a secret. */
export const hiddenName = '***';

/**
 * The changes that an update makes to a live value: fields that the new manifest sets differently, and fields of the old manifest
 * that the new one lacks. Other live fields come from the server or from other writers, and stay.
 */
export function* diffFields(sides: FourSides, path: readonly string[] = []): Generator<FieldChange> {
  const { old, live, wanted, marked } = sides;
  const followsSecret = !isSameRendering(wanted, marked);
  if (wanted === undefined || wanted === null) {
    if ((old ?? null) !== null && !isUnset(live)) yield { path, before: live, after: undefined, followsSecret };
    return;
  }
  if (isJsonObject(wanted) && isJsonObject(live)) {
    const objects = { old: isJsonObject(old) ? old : {}, live, wanted, marked: isJsonObject(marked) ? marked : {} };
    yield* diffObjects(objects, path);
  } else if (Array.isArray(wanted) && Array.isArray(live)) {
    yield* diffLists({ old: listOf(old), live, wanted, marked: listOf(marked) }, path);
  } else if (!isSame(wanted, live, path)) {
    yield { path, before: live, after: wanted, followsSecret };
  }
}

const isSameRendering = (wanted: JsonValue | undefined, marked: JsonValue | undefined): boolean =>
  wanted === marked || sameJson(wanted ?? null, marked ?? null);

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

interface Objects {
  old: JsonObject;
  live: JsonObject;
  wanted: JsonObject;
  marked: JsonObject;
}

function* diffObjects({ old, live, wanted, marked }: Objects, path: readonly string[]): Generator<FieldChange> {
  const shown = namesShown(Object.keys(wanted), new Set(Object.keys(marked)));
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(old)])) {
    const sides = { old: own(old, name), live: own(live, name), wanted: own(wanted, name), marked: own(marked, name) };
    yield* diffFields(sides, [...path, shown(name)]);
  }
}

/**
 * A key that only one of the renderings has was made from a secret. If there is such a key, additional keys of the old release may
 * have been made from earlier contents of the secret, so they are hidden too.
 */
function namesShown(wanted: Iterable<string>, marked: ReadonlySet<string>): (name: string) => string {
  const isAnyMade = [...wanted].some((name) => !marked.has(name));
  return (name) => (isAnyMade && !marked.has(name) ? hiddenName : name);
}

const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

interface Lists {
  old: readonly JsonValue[];
  live: readonly JsonValue[];
  wanted: readonly JsonValue[];
  marked: readonly JsonValue[];
}

function* diffLists({ old, live, wanted, marked }: Lists, path: readonly string[]): Generator<FieldChange> {
  const key = keyFor(path.at(-1) ?? '', [...wanted, ...live]);
  if (key !== null) {
    const [olds, lives, wants, marks] = [old, live, wanted, marked].map((items) => itemsBy(key, items));
    const shown = namesShown(wants?.keys() ?? [], new Set(marks?.keys()));
    for (const name of new Set([...(wants?.keys() ?? []), ...(olds?.keys() ?? [])])) {
      const sides = {
        old: olds?.get(name),
        live: lives?.get(name),
        wanted: wants?.get(name),
        marked: marks?.get(name),
      };
      yield* diffFields(sides, [...path, shown(name)]);
    }
    return;
  }
  const isDeep = wanted.length === live.length && wanted.every((item) => typeof item === 'object' && item !== null);
  if (!isDeep) {
    const followsSecret = !sameJson([...wanted], [...marked]);
    if (!isSame([...wanted], [...live], path)) yield { path, before: [...live], after: [...wanted], followsSecret };
    return;
  }
  for (const [index, item] of wanted.entries()) {
    const sides = { old: old[index], live: live[index], wanted: item, marked: marked[index] };
    yield* diffFields(sides, [...path, String(index)]);
  }
}

/** Lists of Kubernetes whose items are merged by a key other than `name`. */
const keysOfLists: Readonly<Record<string, readonly string[]>> = {
  ports: ['containerPort', 'port'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
};

type KeyOf = (item: JsonObject) => string | null;

/** The merge key of a list; null if the list changes as a whole. */
function keyFor(list: string, items: readonly JsonValue[]): KeyOf | null {
  if (items.length === 0 || !items.every(isJsonObject)) return null;
  for (const field of [...(keysOfLists[list] ?? []), 'name']) {
    const keyOfItem: KeyOf = (item) => {
      const value = item[field];
      if (typeof value !== 'string' && typeof value !== 'number') return null;
      const protocol = list === 'ports' && item['protocol'] === 'UDP' ? '/UDP' : '';
      return `${field}=${value}${protocol}`;
    };
    if (items.every((item) => keyOfItem(item) !== null)) return keyOfItem;
  }
  return null;
}

function itemsBy(key: KeyOf, items: readonly JsonValue[]): Map<string, JsonValue> {
  const byKey = new Map<string, JsonValue>();
  for (const item of items) {
    const name = isJsonObject(item) ? key(item) : null;
    if (name !== null) byKey.set(name, item);
  }
  return byKey;
}
