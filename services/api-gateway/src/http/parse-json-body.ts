import { harmIn } from '@berth/shared/contracts/harmful-text';
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
  refuseHarmful(body);
  const ambiguity = ambiguityIn(text);
  if (ambiguity) refuse(ambiguity.path, ambiguity.message);
  return body;
}

/** No deeper than our limit, so that it may call itself. */
function refuseHarmful(value: unknown, path = 'body'): void {
  if (typeof value === 'string') refuseHarmfulText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(path, 'is beyond the range of numbers');
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseHarmful(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (refusedKeys.has(key)) refuse(path, `must not have a key named ${key}`);
      refuseHarmfulText(key, path);
      refuseHarmful(member, `${path}.${key}`);
    }
  }
}

function refuseHarmfulText(text: string, path: string): void {
  const harm = harmIn(text);
  if (harm !== null) refuse(path, harm);
}
