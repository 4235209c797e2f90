import { parse } from 'yaml';

/** The lines of a value: what follows the colon, then the lines below it with their indentation. */
export type ValueLines = readonly string[];

/** Without spaces nothing in a text is a comment or a key, but a colon at its end. */
const plain = /^[A-Za-z0-9](?:\S*[^\s:])?$/;
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

/** Texts that need a parser are short. */
const mostParsed = 2048;
/**
 * What a parser takes grows with the marks, not with the letters, and for some with a power of their number: 400 nested keys
 * (`? ? ? …`) take it minutes. 2 KB within this limit take a millisecond.
 */
const mostMarks = 32;
const marks = /[[\]{},!&*#"']|[?:-](?=\s|$)/g;

function parsed(lines: ValueLines): unknown {
  const text = lines.join('\n');
  if (text.length > mostParsed || lines.length > mostMarks) return undefined;
  if ((text.match(marks)?.length ?? 0) > mostMarks) return undefined;
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
