import { harmIn } from '@berth/contracts/fields/harmful-text';
import { isForbiddenKey, isJsonObject, maxJsonDepth } from '@berth/contracts/fields/json';
import { jsonSizeOf } from '@berth/contracts/fields/json-size';
import { AppError } from '@berth/contracts/errors';
import { ambiguityIn } from './ambiguity-in-json.ts';

const limits = { depth: maxJsonDepth, members: 10_000 };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const refuse = (path: string, message: string): never => {
  throw new AppError('invalid', `${path}: ${message}`, { errors: [{ path, message }] });
};

/**
 * Parses a body as JSON, or throws `invalid` with the path and the rule. Everything that could harm a service behind the
 * gateway is refused here, once: bytes that are not UTF-8, nesting that is too deep, more than 10,000 members, keys that reach
 * into prototypes, two members with the same name, NUL, lone surrogates, numbers beyond a double. The size is checked
 * first: it bounds the cost of the other checks.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const { depth, members } = jsonSizeOf(bytes, limits);
  if (depth > limits.depth) refuse('body', `must not be nested deeper than ${limits.depth}`);
  if (members > limits.members) refuse('body', `must not have more than ${limits.members} members in total`);
  let text: string;
  let body: unknown;
  try {
    text = utf8.decode(bytes);
    body = JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid', 'body: must be valid JSON in UTF-8', {
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
  /** Relative to the checked value, such as `.a[0]`. */
  path: string;
  message: string;
}

const harmAt = (message: string | null): Harm | null => (message === null ? null : { path: '', message });

// The path is built while returning, so that harmless bodies do not pay for it.
const within = (step: string | number, harm: Harm | null): Harm | null =>
  harm && { ...harm, path: (typeof step === 'number' ? `[${step}]` : `.${step}`) + harm.path };

/** The first harmful value. Recursion is safe: the depth is limited. */
function harmOf(value: unknown): Harm | null {
  if (typeof value === 'string') return harmAt(harmIn(value));
  if (typeof value === 'number')
    return harmAt(Number.isFinite(value) ? null : 'must be a number within the range of a double');
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
  harmAt(isForbiddenKey(key) ? `must not have a key named ${key}` : harmIn(key));
