import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '@berth/contracts/fields/json';

/** A field that differs; an absent side is undefined. */
export interface FieldChange {
  /** Segments; an item of a list is named by its key, as `name=web`. */
  path: readonly string[];
  before: JsonValue | undefined;
  after: JsonValue | undefined;
}

export interface ThreeSides {
  /** The value in the last release; undefined if it lacks the field. */
  old: JsonValue | undefined;
  live: JsonValue | undefined;
  wanted: JsonValue | undefined;
}

/**
 * The changes that an update makes to a live value: fields that the new manifest sets differently, and fields of the old manifest
 * that the new one lacks. Other live fields come from the server or from other writers, and stay.
 */
export function* diffFields({ old, live, wanted }: ThreeSides, path: readonly string[] = []): Generator<FieldChange> {
  if (wanted === undefined || wanted === null) {
    if ((old ?? null) !== null && !isUnset(live)) yield { path, before: live, after: undefined };
    return;
  }
  if (isJsonObject(wanted) && isJsonObject(live)) {
    yield* diffObjects({ old: isJsonObject(old) ? old : {}, live, wanted }, path);
  } else if (Array.isArray(wanted) && Array.isArray(live)) {
    yield* diffLists({ old: Array.isArray(old) ? old : [], live, wanted }, path);
  } else if (!isSame(wanted, live, path)) {
    yield { path, before: live, after: wanted };
  }
}

interface Objects {
  old: JsonObject;
  live: JsonObject;
  wanted: JsonObject;
}

function* diffObjects({ old, live, wanted }: Objects, path: readonly string[]): Generator<FieldChange> {
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(old)])) {
    yield* diffFields({ old: own(old, name), live: own(live, name), wanted: own(wanted, name) }, [...path, name]);
  }
}

const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

interface Lists {
  old: readonly JsonValue[];
  live: readonly JsonValue[];
  wanted: readonly JsonValue[];
}

function* diffLists({ old, live, wanted }: Lists, path: readonly string[]): Generator<FieldChange> {
  const key = keyFor(path.at(-1) ?? '', [...wanted, ...live]);
  if (key !== null) {
    const [olds, lives, wants] = [old, live, wanted].map((items) => itemsBy(key, items));
    for (const name of new Set([...(wants?.keys() ?? []), ...(olds?.keys() ?? [])])) {
      yield* diffFields({ old: olds?.get(name), live: lives?.get(name), wanted: wants?.get(name) }, [...path, name]);
    }
    return;
  }
  const isDeep = wanted.length === live.length && wanted.every((item) => typeof item === 'object' && item !== null);
  if (!isDeep) {
    if (!isSame([...wanted], [...live], path)) yield { path, before: [...live], after: [...wanted] };
    return;
  }
  for (const [index, item] of wanted.entries()) {
    yield* diffFields({ old: old[index], live: live[index], wanted: item }, [...path, String(index)]);
  }
}

/** Kubernetes lists whose items are merged by a key other than `name`. */
const keysOfLists: Readonly<Record<string, readonly string[]>> = {
  ports: ['containerPort', 'port'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
};

type KeyOf = (item: JsonObject) => string | null;

/** The merge key of a list; null if the list is one value. */
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

/** The server drops empty and zero values of a request. */
function isUnset(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(isUnset);
}

function isSame(wanted: JsonValue, live: JsonValue | undefined, path: readonly string[]): boolean {
  if (live === undefined || live === null) return isUnset(wanted);
  if (sameJson(wanted, live)) return true;
  return path.some((name) => holdsQuantities.has(name)) && isSameQuantity(wanted, live);
}

/** Fields in which the server normalizes quantities: `1000m` becomes `1`. */
const holdsQuantities: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'hard',
  'capacity',
  'sizeLimit',
  'averageValue',
  'default',
  'defaultRequest',
]);

function isSameQuantity(a: JsonValue, b: JsonValue): boolean {
  const [one, other] = [quantityOf(a), quantityOf(b)];
  return one !== null && one === other;
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Rounded, since thousandths are not exact in binary. */
function quantityOf(value: JsonValue): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const match = /^([+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?)([numkMGTPE]?i?)$/.exec(String(value));
  const unit = units[match?.[2] ?? ''];
  return match && unit !== undefined ? Number((Number(match[1]) * unit).toPrecision(12)) : null;
}
