import type { Client, JsonValue } from '@berth/client';
import { namesOf } from '../../arguments/complete-names.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { kindOf } from '../../names/kind-named.ts';
import type { Kind } from '../../names/kinds.ts';
import { resolve } from '../../names/resolve.ts';

/** A field of a row that a flag sets. */
interface Field {
  /** As the API calls it. */
  field: string;
  brief: string;
  /** `clearable`: a text; an empty one removes the value. */
  is?: 'text' | 'clearable' | 'boolean' | 'json';
  /** The kind of the row that it names. */
  of?: Kind['resource'];
  required?: true;
}

export type Fields = Readonly<Record<string, Field>>;

const clearable = (text: string): string | null => (text === '' ? null : text);

function json(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliFailure('usage', `this is not JSON: ${text}`, { cause });
  }
}

const parsers = { text: String, clearable, json } as const;

/** The flags for fields. */
export const flagsOf = (fields: Fields): Record<string, object> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, flagOf(field)]));

function flagOf({ brief, is = 'text', of, required }: Field): object {
  const optional = required !== true;
  if (is === 'boolean') return { kind: 'boolean', brief, optional };
  return { kind: 'parsed', parse: parsers[is], brief, optional, ...(of && { proposeCompletions: namesOf(of) }) };
}

/** The body of a request, from the flags that were given. */
export async function bodyOf(client: Client, fields: Fields, given: Readonly<Record<string, unknown>>) {
  const body: Record<string, unknown> = {};
  for (const [name, { field, of }] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined) continue;
    body[field] = of && typeof value === 'string' ? (await resolve(client, kindOf(of), value)).id : value;
  }
  return body;
}
