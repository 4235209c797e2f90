import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';

/** The TypeScript type of a JSON Schema of the OpenAPI document. */
export function typeOfSchema(schema: JsonValue | undefined, indent = ''): string {
  if (!isJsonObject(schema)) return 'JsonValue';
  const { $ref, const: constant, enum: values, anyOf, type } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
  if (Array.isArray(anyOf)) return union(anyOf.map((member) => typeOfSchema(member, indent)));
  if (Array.isArray(type)) return union(type.map((one) => typeOfSchema({ ...schema, type: one }, indent)));
  if (type === 'object') return objectType(schema, indent);
  if (type === 'array') return arrayType(schema, indent);
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  return 'JsonValue';
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function arrayType({ items, prefixItems }: JsonObject, indent: string): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => typeOfSchema(item, indent)).join(', ')}]`;
  const item = typeOfSchema(items, indent);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function objectType(schema: JsonObject, indent: string): string {
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  if (!isJsonObject(properties)) {
    return isJsonObject(additionalProperties)
      ? `{ [key: string]: ${typeOfSchema(additionalProperties, indent)} }`
      : 'JsonObject';
  }
  if (minProperties === 1 && maxProperties === 1) {
    // Tagged by its only key.
    return union(Object.entries(properties).map(([key, value]) => `{ ${key}: ${typeOfSchema(value, indent)} }`));
  }
  return members(schema, properties, indent);
}

function members({ required }: JsonObject, properties: JsonObject, indent: string): string {
  const inner = `${indent}  `;
  const names = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties).map(([name, value]) => {
    const type = typeOfSchema(value, inner);
    const member = names.includes(name) ? `${keyOf(name)}: ${type};` : `${keyOf(name)}?: ${type} | undefined;`;
    return `${commentOf(value, inner)}${inner}${member}\n`;
  });
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

const keyOf = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name));

const commentOf = (schema: JsonValue | undefined, indent: string): string =>
  isJsonObject(schema) && typeof schema.description === 'string'
    ? `${indent}/** ${schema.description.replaceAll('*/', '* /')} */\n`
    : '';
