import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { objectsIn } from '../manifests/lists-in.ts';

/** The fields of one object that one manager has written. */
export interface Ownership {
  manager: string;
  isApply: boolean;
  /** Such as `scale`; null for the object itself. */
  subresource: string | null;
  fields: JsonObject;
}

/** Who owns which fields of a live object. What only the status subresource writes is left out: charts do not apply it. */
export function ownershipsOf({ metadata }: JsonObject): Ownership[] {
  const entries = isJsonObject(metadata) ? objectsIn(metadata['managedFields']) : [];
  return entries.flatMap(({ manager, operation, subresource = null, fieldsV1 }) =>
    typeof manager === 'string' && isJsonObject(fieldsV1) && subresource !== 'status'
      ? [
          {
            manager,
            isApply: operation === 'Apply',
            subresource: typeof subresource === 'string' ? subresource : null,
            fields: fieldsV1,
          },
        ]
      : [],
  );
}

/** A field that somebody owns, with its value on both sides. */
export interface OwnedField {
  /** As plans write it: an item of a list is named by its key. */
  path: readonly string[];
  /** Where it is in the rendered object. */
  steps: readonly (string | number)[];
  rendered: JsonValue;
  live: JsonValue | undefined;
}

interface Place {
  fields: JsonObject;
  rendered: JsonValue;
  live: JsonValue | undefined;
  path: readonly string[];
  steps: readonly (string | number)[];
  /** Fields that identify an item of a list, which is lost without them. */
  keys: ReadonlySet<string>;
}

/** Objects of Kubernetes are less deep, and managed fields are a text that tenants can write. */
const mostDepth = 100;
/** The items of one list are all identified by the same fields. */
const mostKeyForms = 4;

/** The owned fields that the chart renders as well. Runs in another process, since tenants determine the cost. */
export function* ownedFields(fields: JsonObject, rendered: JsonObject, live: JsonObject): Generator<OwnedField> {
  yield* within({ fields, rendered, live, path: [], steps: [], keys: new Set() });
}

function* within(place: Place): Generator<OwnedField> {
  const { fields, rendered, live, path, steps, keys } = place;
  if (steps.length > mostDepth) return;
  const itemOf = itemFinder(rendered, live);
  for (const [name, inner] of Object.entries(fields)) {
    if (!isJsonObject(inner)) continue;
    const child = name.startsWith('f:') ? memberOf(place, name.slice(2)) : name.startsWith('k:') ? itemOf(name) : null;
    if (!child || child.rendered === undefined) continue;
    if (typeof child.step === 'string' && keys.has(child.step)) continue;
    const next = { ...child, rendered: child.rendered, path: [...path, child.name], steps: [...steps, child.step] };
    if (Object.keys(inner).length > 0) yield* within({ ...next, fields: inner });
    else yield { path: next.path, steps: next.steps, rendered: next.rendered, live: next.live };
  }
}

interface Child {
  name: string;
  step: string | number;
  rendered: JsonValue | undefined;
  live: JsonValue | undefined;
  keys: ReadonlySet<string>;
}

function memberOf({ rendered, live }: Pick<Place, 'rendered' | 'live'>, name: string): Child {
  return { name, step: name, rendered: own(rendered, name), live: own(live, name), keys: new Set() };
}

const own = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Finds items of a list by their key, such as `k:{"name":"web"}`, through one index for each form of key. */
function itemFinder(rendered: JsonValue, live: JsonValue | undefined): (key: string) => Child | null {
  const forms = new Map<string, { ofRendered: Map<string, number>; ofLive: Map<string, number> }>();

  return (name) => {
    if (!Array.isArray(rendered)) return null;
    const key = parsedKey(name.slice(2));
    if (!key) return null;
    const fields = Object.keys(key).toSorted();
    const form = JSON.stringify(fields);
    let index = forms.get(form);
    if (!index) {
      if (forms.size === mostKeyForms) return null;
      const lives = Array.isArray(live) ? live : [];
      forms.set(form, (index = { ofRendered: byKey(rendered, fields), ofLive: byKey(lives, fields) }));
    }
    const wanted = keyText(key, fields);
    const at = index.ofRendered.get(wanted);
    if (at === undefined) return null;
    const liveAt = index.ofLive.get(wanted);
    return {
      name: nameOfItem(key, fields),
      step: at,
      rendered: rendered[at],
      live: liveAt !== undefined && Array.isArray(live) ? live[liveAt] : undefined,
      keys: new Set(fields),
    };
  };
}

function parsedKey(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function byKey(items: readonly JsonValue[], fields: readonly string[]): Map<string, number> {
  return new Map(items.flatMap((item, at) => (isJsonObject(item) ? [[keyText(item, fields), at] as const] : [])));
}

/** The server adds this default to the key of a port. */
const keyValue = (item: JsonObject, field: string): JsonValue =>
  own(item, field) ?? (field === 'protocol' ? 'TCP' : null);

const keyText = (item: JsonObject, fields: readonly string[]): string =>
  JSON.stringify(fields.map((field) => keyValue(item, field)));

/** `name=web`, or `port=53/UDP`. */
function nameOfItem(key: JsonObject, fields: readonly string[]): string {
  const named = fields.filter((field) => field !== 'protocol').map((field) => `${field}=${textOf(key[field])}`);
  const protocol = keyValue(key, 'protocol');
  return `${named.join(',')}${fields.includes('protocol') && protocol !== 'TCP' ? `/${textOf(protocol)}` : ''}`;
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
