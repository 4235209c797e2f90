import { parse } from 'yaml';

/** The lines of a value: what follows the colon, then the lines below it with their indentation. */
export type ValueLines = readonly string[];

const plain = /^[A-Za-z0-9][\w.+~:/@%=?-]*$/;
const quoted = /^(?:'([^']*)'|"([^"\\]*)")$/;

/** Reads a text, which YAML never takes for a number or a date. Undefined if it is something else. */
export function textIn(lines: ValueLines): string | undefined {
  const simple = lines.length === 1 ? simpleText(lines[0] ?? '') : undefined;
  if (simple !== undefined) return simple;
  const value = parsed(lines);
  return typeof value === 'string' ? value : undefined;
}

/** Reads a list of texts. Undefined if it is something else. */
export function textsIn(lines: ValueLines): string[] | undefined {
  const [inline, ...items] = lines;
  const simple = items.map((line) => simpleText(/^ *- +(.*)$/s.exec(line)?.[1] ?? ''));
  if (inline === '' && simple.every((text) => text !== undefined)) return simple;
  const value = parsed(lines);
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined;
}

/** Most values need no parser, which would take a hundred times as long. */
function simpleText(text: string): string | undefined {
  const trimmed = text.trim();
  if (plain.test(trimmed)) return trimmed;
  const [, single, double] = quoted.exec(trimmed) ?? [];
  return single ?? double;
}

/** A parser takes half a second for 64 KB, and texts that need one are short. */
const mostParsed = 4096;

function parsed(lines: ValueLines): unknown {
  if (lines.reduce((sum, line) => sum + line.length, 0) > mostParsed) return undefined;
  const [inline = '', ...below] = lines;
  try {
    // Every scalar stays a text, and an alias is refused: it would refer to another entry.
    const document: unknown = parse([`value: ${inline}`, ...below.map((line) => ` ${line}`)].join('\n'), {
      schema: 'failsafe',
      maxAliasCount: 0,
      logLevel: 'silent',
    });
    return typeof document === 'object' && document !== null && 'value' in document ? document.value : undefined;
  } catch {
    return undefined;
  }
}
