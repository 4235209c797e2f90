import type { JsonObject } from '@berth/client';
import { brokenRules } from '@berth/contracts/fields/field-errors';
import { isJsonObject } from '@berth/contracts/fields/json';
import { ValuesOverride } from '@berth/contracts/resources/deployments/deployment-inputs';
import { type Document, isNode, isScalar, parseDocument, stringify, visit } from 'yaml';

export type EditorLanguage = 'yaml' | 'json';

interface TextProblem {
  from: number;
  to: number;
  message: string;
}

export interface ReadOverride {
  /** Null: no override, as for an empty text. Undefined while the text has an error. */
  value: JsonObject | null | undefined;
  problems: TextProblem[];
}

const broken = (problems: TextProblem[]): ReadOverride => ({ value: undefined, problems });

/** The override in a text, by the rules of the platform, or what is wrong and where. */
export function readOverride(text: string, language: EditorLanguage): ReadOverride {
  if (text.trim() === '') return { value: null, problems: [] };
  // JSON is YAML, so one parser finds the position of each value in both.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const all = { from: 0, to: text.length };
  const syntax = document.errors.map(({ pos: [from, to], message }) => ({ from, to: Math.max(to, from + 1), message }));
  const strict = language === 'json' ? jsonProblem(text) : null;
  if (syntax.length === 0) syntax.push(...repeatedKeys(document));
  if (strict !== null && syntax.length === 0) syntax.push(strict);
  if (syntax.length > 0) return broken(syntax);

  const value = plainValue(document);
  if (value === null) return { value: null, problems: [] };
  if (!isJsonObject(value)) return broken([{ ...all, message: 'must be an object: keys with values' }]);
  const { data, error } = ValuesOverride.safeParse(value);
  if (error === undefined) return { value: data, problems: [] };
  return broken(
    brokenRules(error).map(({ parts, message }) => ({
      ...(rangeOf(document, parts) ?? all),
      message: `${parts.join('.')} ${message}`,
    })),
  );
}

/** The parser's own check compares each key with every other, which takes half a minute for 20,000 keys. */
function repeatedKeys(document: Document): TextProblem[] {
  const repeated: TextProblem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value) && key.range)
          repeated.push({
            from: key.range[0],
            to: Math.max(key.range[1], key.range[0] + 1),
            message: 'Map keys must be unique',
          });
        seen.add(key.value);
      }
    },
  });
  return repeated;
}

function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    // The aliases would multiply. The rule for objects tells what to write instead.
    return undefined;
  }
}

function rangeOf(document: Document, parts: readonly PropertyKey[]): { from: number; to: number } | null {
  for (let length = parts.length; length > 0; length -= 1) {
    const node = document.getIn(parts.slice(0, length), true);
    if (isNode(node) && node.range) return { from: node.range[0], to: Math.max(node.range[1], node.range[0] + 1) };
  }
  return null;
}

function jsonProblem(text: string): TextProblem | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is not JSON';
    const at = Math.min(Number(/position (\d+)/.exec(message)?.[1] ?? 0), text.length - 1);
    return { from: at, to: at + 1, message };
  }
}

/** The text of an override, for the editor. */
export function overrideText(value: JsonObject | null, language: EditorLanguage): string {
  if (value === null) return '';
  return language === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringify(value);
}
