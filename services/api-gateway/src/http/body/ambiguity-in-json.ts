import type { FieldError } from '@berth/shared/errors';

interface Level {
  /** Where this object or array is. */
  path: string;
  /** Names so far of an object; undefined for an array. */
  names: Set<string> | undefined;
  /** Of the value that comes next. */
  key: string | number;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * What a parser would decide silently: of two members of one name the last one counts, and integers beyond 2^53 lose
 * digits. The text is valid JSON and nested no deeper than our limit.
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
      if (level.names.has(name)) return { path: level.path, message: 'must not have two members of one name' };
      level.names.add(name);
      level.key = name;
    } else if (losesDigits(part)) {
      return { path: pathOf(level), message: 'is an integer beyond 2^53 and would lose digits; send it as text' };
    }
  }
  return null;
}

/** What a string literal says. Most have nothing to unescape. */
const textOf = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

const losesDigits = (literal: string): boolean =>
  literal.length > 15 && /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal));

function pathOf(level: Level | undefined): string {
  if (!level) return 'body';
  return level.names ? `${level.path}.${level.key}` : `${level.path}[${level.key}]`;
}
