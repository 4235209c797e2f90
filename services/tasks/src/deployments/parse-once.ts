import { hash } from 'node:crypto';
import type { JsonObject } from '@berth/contracts/fields/json';
import { LRUCache } from 'lru-cache';

export interface ParseOnceOptions {
  /** Maximum number of documents in the cache. */
  entries: number;
  /** Maximum size of their JSON text together. The parsed documents take several times as much memory. */
  bytes: number;
}

/**
 * Parses each document once: equal documents share one object, which must not be mutated. The least recently read documents are
 * dropped first. A document that does not parse is not cached.
 */
export function parseOnce<Parsed extends object>(
  parse: (document: JsonObject) => Parsed,
  most: ParseOnceOptions,
): (document: JsonObject) => Parsed {
  const kept = new LRUCache<string, Parsed>({ max: most.entries, maxSize: most.bytes });

  return (document) => {
    const text = JSON.stringify(document);
    const key = hash('sha256', text, 'base64url');
    const known = kept.get(key);
    if (known !== undefined) return known;

    const parsed = parse(document);
    // A document that is larger than the whole cache is not kept.
    kept.set(key, parsed, { size: Buffer.byteLength(text) });
    return parsed;
  };
}
