import { Json, JsonObject, maxJsonDepth } from './json.ts';

/**
 * The size of a JSON value in bytes as Postgres prints it, with spaces and every digit of a number; answers and messages are
 * never longer. A value that is not JSON counts as zero, because another rule refuses it.
 */
export function jsonBytes(value: unknown, depth = maxJsonDepth): number {
  if (value === null) return 4;
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value === 'boolean') return value ? 4 : 5;
  if (typeof value !== 'object' || depth === 0) return 0;

  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) bytes += 2 + jsonBytes(item, depth - 1);
    return bytes;
  }
  for (const [key, item] of Object.entries(value)) bytes += 4 + stringBytes(key) + jsonBytes(item, depth - 1);
  return bytes;
}

/** Strings that JSON does not escape. Most strings match, and the check is cheaper than counting. */
const plain = /^[ !#-[\]-~]*$/;

function stringBytes(text: string): number {
  if (plain.test(text)) return text.length + 2;
  let bytes = 2;
  for (let index = 0; index < text.length; index += 1) bytes += unitBytes(text.charCodeAt(index));
  return bytes;
}

/** Bytes of one UTF-16 unit; each half of a surrogate pair counts as two of the four bytes. */
function unitBytes(unit: number): number {
  if (unit < 0x20) return 6;
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1;
  if (unit < 0x800 || (unit >= 0xd800 && unit < 0xe000)) return 2;
  return 3;
}

function numberBytes(value: number): number {
  const text = String(value);
  const [, exponent = 0] = /e([+-]\d+)$/.exec(text) ?? [];
  return text.length + Math.abs(Number(exponent));
}

const rule = (maxBytes: number): string => `must take at most ${maxBytes} bytes as JSON`;

export const jsonWithin = (maxBytes: number) =>
  Json.refine((value) => jsonBytes(value) <= maxBytes, rule(maxBytes)).meta({ description: rule(maxBytes) });

export const jsonObjectWithin = (maxBytes: number) =>
  JsonObject.refine((value) => jsonBytes(value) <= maxBytes, rule(maxBytes)).meta({
    type: 'object',
    additionalProperties: true,
    description: rule(maxBytes),
  });
