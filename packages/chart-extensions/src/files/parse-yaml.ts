import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type ParseOptions,
  type DocumentOptions,
  type SchemaOptions,
  YAMLParseError,
} from 'yaml';

export interface YamlText {
  /** At least one. */
  documents: Document.Parsed[];
  /** The line of the deepest node on the way to a field of a document, since a missing field has none. */
  lineOf(document: Document.Parsed, parts: readonly PropertyKey[]): number | null;
}

/** Parses a file with one or more documents. Null if it is empty. */
export function parseYaml(text: string, options: ParseOptions & DocumentOptions & SchemaOptions = {}): YamlText | null {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { ...options, lineCounter: lines });
  if (!Array.isArray(documents) || documents.length === 0) return null;
  return {
    documents,
    lineOf({ contents }, parts) {
      const offset = offsetOf(contents, parts);
      return offset === null ? null : lines.linePos(offset).line;
    },
  };
}

/** The line of a syntax error. */
export const lineOfError = (error: unknown): number | null =>
  error instanceof YAMLParseError ? (error.linePos?.[0].line ?? null) : null;

function offsetOf(contents: ParsedNode | null, parts: readonly PropertyKey[]): number | null {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? null;
  for (const part of parts) {
    const [start, next] = stepTo(node, part);
    if (start === undefined) break;
    offset = start;
    node = next;
  }
  return offset;
}

/** Where a member starts, and its node. A map's member starts at its key. */
function stepTo(node: unknown, part: PropertyKey): [start: number | undefined, next: unknown] {
  if (isMap(node)) {
    const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(part));
    return [isScalar(pair?.key) ? pair.key.range?.[0] : undefined, pair?.value];
  }
  const item = isSeq(node) ? node.items[Number(part)] : undefined;
  return [isNode(item) ? item.range?.[0] : undefined, item];
}
