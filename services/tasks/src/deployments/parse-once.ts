import { hash } from 'node:crypto';
import type { JsonObject } from '@berth/shared/contracts/json';

export interface ParseOnceOptions {
  /** Documents that are kept. */
  entries: number;
  /** Of the kept documents together, as JSON text. What they become takes several times as much memory. */
  bytes: number;
}

interface Kept<Parsed> {
  parsed: Parsed;
  bytes: number;
}

/**
 * Parses each document once, however often it is read: the answer for one of the same content is the same object, so nobody
 * may change it. The documents that were asked for least recently are forgotten first. What does not parse is not kept.
 */
export function parseOnce<Parsed>(
  parse: (document: JsonObject) => Parsed,
  most: ParseOnceOptions,
): (document: JsonObject) => Parsed {
  // A Map keeps the order in which its keys were put in.
  const kept = new Map<string, Kept<Parsed>>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function keep(key: string, entry: Kept<Parsed>): void {
    // It would push out all others, and then itself.
    if (entry.bytes > most.bytes) return;
    kept.set(key, entry);
    bytes += entry.bytes;
    for (const oldest of kept.keys()) {
      if (kept.size <= most.entries && bytes <= most.bytes) return;
      forget(oldest);
    }
  }

  return (document) => {
    const text = JSON.stringify(document);
    const key = hash('sha256', text, 'base64url');
    const known = kept.get(key);
    const entry = known ?? { parsed: parse(document), bytes: Buffer.byteLength(text) };
    if (known) forget(key);
    keep(key, entry);
    return entry.parsed;
  };
}
