import type { FieldError } from '@berth/contracts/errors';

interface Level {
  path: string;
  /** Member names so far; undefined for an array. */
  names: Set<string> | undefined;
  /** The name or index of the next value. */
  key: string | number;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * Finds ambiguities that a parser resolves silently: of several members with the same name the last one wins, and integers
 * beyond 2^53 lose digits. The text must be valid JSON within the depth limit.
 */
export function ambiguityIn(json: string): FieldError | null {
  const levels: Level[] = [];
  let lastString = '';
  for (const [part] of json.matchAll(token)) {
    const level = levels.at(-1);
    const first = part[0];
    if (first === '{' || first === '[') {
      levels.push({ path: pathOf(level), names: first === '{' ? new Set() : undefined, key: 0 });
    } else if (first === '}' || first === ']') {
      levels.pop();
    } else if (first === ',') {
      if (typeof level?.key === 'number') level.key += 1;
    } else if (first === '"') {
      lastString = part;
    } else if (first === ':') {
      if (!level?.names) continue;
      const name = textOf(lastString);
      if (level.names.has(name)) return { path: level.path, message: 'must not have two members with the same name' };
      level.names.add(name);
      level.key = name;
    } else if (losesDigits(part)) {
      return { path: pathOf(level), message: 'must be a string: an integer beyond 2^53 would lose digits' };
    }
  }
  return null;
}

/** The value of a string literal; most have no escapes. */
const textOf = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

const losesDigits = (literal: string): boolean =>
  literal.length > 15 && /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal));

function pathOf(level: Level | undefined): string {
  if (!level) return 'body';
  return level.names ? `${level.path}.${level.key}` : `${level.path}[${level.key}]`;
}
