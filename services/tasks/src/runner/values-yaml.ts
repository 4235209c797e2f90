import type { JsonValue } from '@berth/shared/contracts/json';

/**
 * Values as the YAML reader of Helm takes them, each text unchanged. JSON alone is not enough: that reader refuses or
 * changes some characters (U+007F, U+0085, U+FFFE), knows no surrogate pairs, and takes a key of more than 1,022
 * characters only where a `?` announces it.
 */
export function valuesYaml(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(valuesYaml).join(',')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `? ${quoted(key)} : ${valuesYaml(item)}`);
  return `{${entries.join(',')}}`;
}

/** Most texts are plain, and a search is cheaper than a replacement that finds nothing. */
const unsafe = /[^ -~]/;

function quoted(text: string): string {
  const json = JSON.stringify(text);
  return unsafe.test(json) ? json.replaceAll(/[^ -~]+/g, escaped) : json;
}

const escaped = (characters: string): string => Array.from(characters, escape).join('');

function escape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return character.length === 1 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}
