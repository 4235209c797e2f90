import { isJson, type JsonValue } from '@berth/contracts/fields/json';
import { isMap, isNode, isScalar, type Node, parseDocument, visit, type YAMLMap } from 'yaml';

/** One object of a manifest; `isCrdFile`: it comes from the folder `crds` of a chart. */
interface ManifestObject {
  content: JsonValue;
  isCrdFile: boolean;
  /** True if parsers may read it differently, because of a repeated key or a special form of text. */
  isAmbiguous: boolean;
}

export interface ParsedManifest {
  objects: ManifestObject[];
  /** The document is not YAML, or is YAML that JSON cannot express. */
  unreadable: number;
}

/** The comment that Helm writes above a file of the folder `crds`. */
const crdSource = /^\s*# Source: \S+\/crds\/.*\n/;

export const betweenDocuments = /^---(?:[ \t].*)?$/m;

/** How Helm's YAML library reads a document. */
export const readDocument = (document: string, options: { intAsBigInt?: boolean } = {}) =>
  parseDocument(document, {
    ...options,
    version: '1.1',
    uniqueKeys: false,
    logLevel: 'silent',
    // Go's library lacks these types: it reads times and `12:30` as text.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !unlikeGo(tag)),
  });
export const mostAliases = 100;

/**
 * The objects of a manifest, read as Helm's YAML library reads them; `crds` is what Helm shows of the folder `crds`. Helm copies the
 * files of this folder into what it renders, but only those of subcharts that the values enable, and marks each file, not each document.
 */
export function parseManifest(text: string, crds = ''): ParsedManifest {
  const parsed: ParsedManifest = { objects: [], unreadable: 0 };
  const isOfCrds = documentsOfCrds(crds);
  for (const document of text.split(betweenDocuments)) {
    const { content, isAmbiguous } = read(document);
    if (content === undefined) parsed.unreadable += 1;
    else if (content !== null) {
      const isCrdFile = isOfCrds(document);
      parsed.objects.push(...itemsOf(content).map((item) => ({ content: item, isCrdFile, isAmbiguous })));
    }
  }
  return parsed;
}

/** Whether a document of a manifest comes from the folder `crds`. */
export function documentsOfCrds(crds: string): (document: string) => boolean {
  const known = new Set(crds.split(betweenDocuments).map((document) => document.trim()));
  known.delete('');
  return (document) =>
    known.size > 0 && [document, document.replace(crdSource, '')].some((text) => known.has(text.trim()));
}

interface ReadDocument {
  content: JsonValue | undefined;
  isAmbiguous: boolean;
}

function read(document: string): ReadDocument {
  const unreadable = { content: undefined, isAmbiguous: false };
  try {
    const parsed = readDocument(document);
    if (parsed.errors.length > 0) return unreadable;
    const value: unknown = parsed.toJS({ maxAliasCount: mostAliases });
    const root = parsed.contents;
    return isJson(value) ? { content: value, isAmbiguous: isMap(root) && isAmbiguous(root) } : unreadable;
  } catch {
    // Too many aliases.
    return unreadable;
  }
}

function isAmbiguous(root: YAMLMap): boolean {
  const metadata = root.get('metadata');
  return hasTwice(root) || (isMap(metadata) && hasTwice(metadata)) || mergesLate(root) || hasUncertain(root);
}

const otherTags = new Set(['binary', 'timestamp', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`));
const contents = new Set(['data', 'binaryData', 'stringData']);

/** Whether the map has a tag that changes a text, such as `!!binary`, or a late merge. Contents that only pods read do not count. */
function hasUncertain({ items }: YAMLMap): boolean {
  let found = false;
  const check = (_: unknown, node: Node) => {
    const isCertain = (node.tag === undefined || !otherTags.has(node.tag)) && !(isMap(node) && mergesLate(node));
    if (isCertain) return undefined;
    found = true;
    return visit.BREAK;
  };
  for (const { key, value } of items) {
    if (isScalar(key) && typeof key.value === 'string' && contents.has(key.value)) continue;
    for (const node of [key, value]) if (isNode(node)) visit(node, { Node: check });
  }
  return found;
}

/** In Helm's library a merge (`<<`) overrides the keys before it; in others it never does. */
const mergesLate = ({ items }: YAMLMap): boolean =>
  items.slice(1).some(({ key }) => isScalar(key) && isMerge(key.value));

const isMerge = (key: unknown): boolean => key === '<<' || typeof key === 'symbol';

function hasTwice({ items }: YAMLMap): boolean {
  const keys = items.map(({ key }) => (isScalar(key) ? key.value : key));
  return new Set(keys).size < keys.length;
}

const unlikeGo = ({ tag, format }: { tag: string; format?: string | undefined }): boolean =>
  format === 'TIME' || /:(?:timestamp|binary|omap|pairs|set)$/.test(tag);

/** Helm installs the items of a list one by one. Its client treats every object with `items` as a list, whatever its kind is. */
function itemsOf(content: JsonValue): JsonValue[] {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return [content];
  const { items } = content;
  return Array.isArray(items) ? items : [content];
}
