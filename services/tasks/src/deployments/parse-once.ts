import { hash } from 'node:crypto';
import type { JsonObject } from '@berth/contracts/fields/json';
import { BoundedCache } from '@berth/service/waiting/bounded-cache';

export interface ParseOnceOptions {
  /** The most documents in the cache. */
  entries: number;
  /** The most JSON text of them together. The parsed documents take several times as much memory. */
  bytes: number;
}

/**
 * Parses each document once, however often it is read: equal documents get the same object, so nobody
 * may change it. The least recently read documents are dropped first. A document that does not parse is not cached.
 */
export function parseOnce<Parsed extends object>(
  parse: (document: JsonObject) => Parsed,
  most: ParseOnceOptions,
): (document: JsonObject) => Parsed {
  const kept = new BoundedCache<Parsed>(most.bytes);
  const leastWeight = most.bytes / most.entries;

  return (document) => {
    const text = JSON.stringify(document);
    const key = hash('sha256', text, 'base64url');
    const known = kept.get(key);
    if (known !== undefined) return known;

    const parsed = parse(document);
    const bytes = Buffer.byteLength(text);
    // A larger one would push out all others, and then itself. Smaller ones count for no less than their share of the entries.
    if (bytes <= most.bytes) kept.set(key, parsed, Math.max(bytes, leastWeight));
    return parsed;
  };
}
