import type { z } from 'zod';

/** Whether a value has exactly the fields of a schema, with their types. */
export type HasShape<T> = (value: unknown) => value is T;

type Check = (value: unknown) => boolean;

const checks = new WeakMap<z.core.$ZodType, Check | null>();

/**
 * Checks the fields and types of a schema without copying the value, and ignores refinements and patterns. A value that passes
 * has no field that the schema does not name, except inside values that the schema leaves open. Null for schemas that convert,
 * have defaults or allow unknown fields. To be made once per schema. With zod instead, 50 deployments took 169 µs rather than 63,
 * and a page 10.4 ms of `tasks` rather than 7.5 (with forwarded bytes).
 */
export function exactShape<S extends z.core.$ZodType>(schema: S): HasShape<z.core.output<S>> | null;
export function exactShape(schema: z.core.$ZodType): Check | null {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const made = checkOf(schema);
  checks.set(schema, made);
  return made;
}

function checkOf(schema: z.core.$ZodType): Check | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'literal':
      return oneOf(def.values);
    case 'custom':
      return (value) => def.fn(value) === true;
    case 'nullable':
      return orElse(null, checkOf(def.innerType));
    case 'optional':
      return orElse(undefined, checkOf(def.innerType));
    case 'array':
      return listShape(checkOf(def.element));
    case 'tuple':
      return def.rest === null ? tupleShape(def.items) : null;
    case 'union':
      return unionShape(def.options);
    case 'record':
      return keysAreOpen(def) ? recordShape(checkOf(def.valueType)) : null;
    case 'object':
      return isStrict(def) ? objectShape(def.shape) : null;
    default:
      return null;
  }
}

const typeOf = (schema: z.core.$ZodType): string => schema._zod.def.type;

const isStrict = ({ catchall }: z.core.$ZodObjectDef): boolean =>
  catchall !== undefined && typeOf(catchall) === 'never';

const keysAreOpen = ({ keyType }: z.core.$ZodRecordDef): boolean => typeOf(keyType) === 'string';

function oneOf(values: readonly unknown[]): Check {
  const known = new Set(values);
  return (value) => known.has(value);
}

const orElse = (other: null | undefined, inner: Check | null): Check | null =>
  inner && ((value) => value === other || inner(value));

function all(schemas: readonly z.core.$ZodType[]): Check[] | null {
  const shapes = schemas.map((schema) => checkOf(schema));
  return shapes.every((shape) => shape !== null) ? shapes : null;
}

function listShape(item: Check | null): Check | null {
  return item && ((value) => Array.isArray(value) && value.every(item));
}

function tupleShape(schemas: readonly z.core.$ZodType[]): Check | null {
  const items = all(schemas);
  return (
    items &&
    ((value) =>
      Array.isArray(value) && value.length === items.length && items.every((item, index) => item(value[index])))
  );
}

function unionShape(schemas: readonly z.core.$ZodType[]): Check | null {
  const options = all(schemas);
  return options && ((value) => options.some((option) => option(value)));
}

/** JSON.stringify writes own properties only; an instance of a class may have a `toJSON`. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function recordShape(item: Check | null): Check | null {
  return item && ((value) => isPlain(value) && Object.values(value).every(item));
}

function objectShape(shape: Readonly<Record<string, z.core.$ZodType>>): Check | null {
  const names = Object.keys(shape);
  const fields = all(Object.values(shape));
  if (!fields) return null;

  return (value) => {
    if (!isPlain(value)) return false;
    let known = 0;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      const field = value[name];
      if (!(fields[index] as Check)(field)) return false;
      if (field !== undefined || Object.hasOwn(value, name)) known += 1;
    }
    // If the counts are equal, every member is known.
    return known === Object.keys(value).length;
  };
}
