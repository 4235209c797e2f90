import type { JsonValue } from '@berth/shared/contracts/json';

/**
 * Values as the YAML reader of Helm takes them, each text unchanged. JSON alone is not enough: that reader refuses or
 * changes some characters (U+007F, U+0085, U+FFFE), knows no surrogate pairs, and takes a key of more than 1,022
 * characters only where a `?` announces it.
 */
export function valuesYaml(value: JsonValue): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

/** Into one list: texts made level by level would be copied once for each level. */
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

/** Most texts are plain, and a search is cheaper than to escape what needs none. */
const unsafe = /[^ -~]/;

function quoted(text: string): string {
  const json = JSON.stringify(text);
  return unsafe.test(json) ? escaped(json) : json;
}

const hexDigits = Buffer.from('0123456789abcdef');
const backslash = 0x5c;
const smallU = 0x75;
const largeU = 0x55;
/** Of `\uXXXX`; two of them are more than one `\UXXXXXXXX`. */
const longestEscape = 6;

/** By hand and not by a replacement per character: a megabyte of them would keep the runner busy for 150 ms. */
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
