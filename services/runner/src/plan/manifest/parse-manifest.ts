import { isJson, type JsonValue } from '@berth/contracts/fields/json';
import { parseDocument } from 'yaml';

/** One object of a manifest; `isCrdFile`: it comes from the folder `crds` of a chart. */
interface ManifestObject {
  content: JsonValue;
  isCrdFile: boolean;
}

export interface ParsedManifest {
  objects: ManifestObject[];
  /** The document is not YAML, or is YAML that JSON cannot express. */
  unreadable: number;
}

/** The comment that Helm writes above each object. */
const crdSource = /^# Source: \S+\/crds\//m;

/** The objects of a manifest, read as Helm's YAML library reads them. */
export function parseManifest(text: string): ParsedManifest {
  const parsed: ParsedManifest = { objects: [], unreadable: 0 };
  for (const document of text.split(/^---(?:[ \t].*)?$/m)) {
    const content = read(document);
    if (content === undefined) parsed.unreadable += 1;
    else if (content !== null) {
      const isCrdFile = crdSource.test(document.slice(0, 1_024));
      parsed.objects.push(...itemsOf(content).map((item) => ({ content: item, isCrdFile })));
    }
  }
  return parsed;
}

function read(document: string): JsonValue | undefined {
  try {
    const parsed = parseDocument(document, {
      version: '1.1',
      uniqueKeys: false,
      logLevel: 'silent',
      // Go's library has no such types: it reads a time and `12:30` as text.
      customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !unlikeGo(tag)),
    });
    const value: unknown = parsed.errors.length > 0 ? undefined : parsed.toJS({ maxAliasCount: 100 });
    return isJson(value) ? value : undefined;
  } catch {
    // Too many aliases.
    return undefined;
  }
}

const unlikeGo = ({ tag, format }: { tag: string; format?: string | undefined }): boolean =>
  format === 'TIME' || /:(?:timestamp|binary|omap|pairs|set)$/.test(tag);

/** Helm installs the items of a list one by one. */
function itemsOf(content: JsonValue): JsonValue[] {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return [content];
  const { kind, items } = content;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [content];
}
