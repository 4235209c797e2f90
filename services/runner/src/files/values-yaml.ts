import type { JsonValue } from '@berth/contracts/fields/json';

/**
 * Values in the YAML that Helm's parser reads back unchanged. Plain JSON is not enough: that parser rejects or changes some
 * characters (U+007F, U+0085, U+FFFE), does not know surrogate pairs, and accepts a key of more than 1,022 characters only
 * after a `?`.
 */
export function valuesYaml(value: JsonValue): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

/** Appends to one list: concatenating per level would copy the text once per level. */
function write(value: JsonValue, parts: string[]): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      parts.push(index === 0 ? '[' : ',');
      write(value[index] ?? null, parts);
    }
    parts.push(value.length === 0 ? '[]' : ']');
  } else if (typeof value === 'string') {
    parts.push(quoted(value));
  } else if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value));
  } else {
    let next = '{? ';
    for (const key of Object.keys(value)) {
      parts.push(next, quoted(key), ' : ');
      write(value[key] ?? null, parts);
      next = ',? ';
    }
    parts.push(next === '{? ' ? '{}' : '}');
  }
}

/** Most strings are plain, and a search is cheaper than escaping. */
const unsafe = /[^ -~]/;

function quoted(text: string): string {
  const json = JSON.stringify(text);
  return unsafe.test(json) ? escaped(json) : json;
}

const hexDigits = Buffer.from('0123456789abcdef');
const backslash = 0x5c;
const smallU = 0x75;
const largeU = 0x55;
/** `\uXXXX`; two of them are longer than one `\UXXXXXXXX`. */
const longestEscape = 6;

/** Writes into a buffer, because one replacement per character would keep the runner busy for 150 ms per megabyte. */
function escaped(text: string): string {
  const bytes = Buffer.allocUnsafe(text.length * longestEscape);
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x20 && unit <= 0x7e) {
      bytes[end++] = unit;
      continue;
    }
    const point = text.codePointAt(at) ?? unit;
    const isPair = point > 0xffff;
    if (isPair) at += 1;
    bytes[end++] = backslash;
    bytes[end++] = isPair ? largeU : smallU;
    for (let shift = isPair ? 28 : 12; shift >= 0; shift -= 4) bytes[end++] = hexDigits[(point >> shift) & 0xf] ?? 0;
  }
  return bytes.toString('latin1', 0, end);
}
