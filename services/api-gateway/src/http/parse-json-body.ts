import { AppError } from '@berth/shared/errors';
import { ambiguityIn } from './ambiguity-in-json.ts';
import { harmIn } from './harmful-text.ts';

const maxDepth = 64;
const maxKeys = 10_000;
const refusedKeys = new Set(['__proto__', 'constructor']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const refuse = (path: string, message: string): never => {
  throw new AppError('invalid', `${path}: ${message}`, { errors: [{ path, message }] });
};

/**
 * A body as JSON, or `invalid` naming the place and the rule. What would hurt somebody further in is refused here, once:
 * bytes that are no UTF-8, nesting beyond 64, keys that reach into prototypes, two members of one name, NUL, lone
 * surrogates, numbers that a double cannot hold.
 */
export function parseJsonBody(bytes: Buffer): unknown {
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

/** Walks with a stack of its own: a body nested 100,000 deep must not overflow ours. */
function refuseHarmful(body: unknown): void {
  const pending = [{ value: body, path: 'body', depth: 1 }];
  let keys = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') refuseHarmfulText(value, path);
    if (typeof value === 'number' && !Number.isFinite(value)) refuse(path, 'is beyond the range of numbers');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxDepth) refuse('body', `must not be nested deeper than ${maxDepth}`);

    for (const [key, child] of Object.entries(value)) {
      keys += 1;
      if (keys > maxKeys) refuse('body', `must not have more than ${maxKeys} members in all`);
      if (refusedKeys.has(key)) refuse(path, `must not have a key named ${key}`);
      refuseHarmfulText(key, path);
      pending.push({
        value: child,
        path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
        depth: depth + 1,
      });
    }
  }
}

function refuseHarmfulText(text: string, path: string): void {
  const harm = harmIn(text);
  if (harm !== null) refuse(path, harm);
}
