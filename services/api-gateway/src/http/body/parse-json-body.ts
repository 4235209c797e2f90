import { harmIn } from '@berth/shared/contracts/harmful-text';
import { isJsonObject } from '@berth/shared/contracts/json';
import { AppError } from '@berth/shared/errors';
import { ambiguityIn } from './ambiguity-in-json.ts';
import { jsonSizeOf } from './json-size.ts';

const most = { depth: 64, members: 10_000 };
const refusedKeys = new Set(['__proto__', 'constructor']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const refuse = (path: string, message: string): never => {
  throw new AppError('invalid', `${path}: ${message}`, { errors: [{ path, message }] });
};

/**
 * A body as JSON, or `invalid` naming the place and the rule. What would hurt somebody further in is refused here, once:
 * bytes that are no UTF-8, nesting beyond 64, more than 10,000 members, keys that reach into prototypes, two members of
 * one name, NUL, lone surrogates, numbers that a double cannot hold. Its size comes first: it bounds all the rest.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const { depth, members } = jsonSizeOf(bytes, most);
  if (depth > most.depth) refuse('body', `must not be nested deeper than ${most.depth}`);
  if (members > most.members) refuse('body', `must not have more than ${most.members} members in all`);
  let text: string;
  let body: unknown;
  try {
    text = utf8.decode(bytes);
    body = JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid', 'The body is no valid JSON in UTF-8', {
      cause,
      errors: [{ path: 'body', message: 'must be valid JSON in UTF-8' }],
    });
  }
  const harm = harmOf(body);
  if (harm) refuse(`body${harm.path}`, harm.message);
  const ambiguity = ambiguityIn(text);
  if (ambiguity) refuse(ambiguity.path, ambiguity.message);
  return body;
}

interface Harm {
  /** From the value that was looked at, as in `.a[0]`. */
  path: string;
  message: string;
}

const harmAt = (message: string | null): Harm | null => (message === null ? null : { path: '', message });

// The path grows on the way back: where nothing is wrong, it costs nothing.
const within = (step: string | number, harm: Harm | null): Harm | null =>
  harm && { ...harm, path: (typeof step === 'number' ? `[${step}]` : `.${step}`) + harm.path };

/** The first thing that would hurt somebody further in. No deeper than our limit, so that it may call itself. */
function harmOf(value: unknown): Harm | null {
  if (typeof value === 'string') return harmAt(harmIn(value));
  if (typeof value === 'number') return harmAt(Number.isFinite(value) ? null : 'is beyond the range of numbers');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const harm = within(index, harmOf(value[index]));
      if (harm) return harm;
    }
    return null;
  }
  if (!isJsonObject(value)) return null;
  for (const key of Object.keys(value)) {
    const harm = harmOfKey(key) ?? within(key, harmOf(value[key]));
    if (harm) return harm;
  }
  return null;
}

const harmOfKey = (key: string): Harm | null =>
  harmAt(refusedKeys.has(key) ? `must not have a key named ${key}` : harmIn(key));
