import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type RedactSecrets, redactSecrets } from './redact-secrets.ts';

/** Pods that flap send their texts many times a second. An index holds secrets, so it is not kept for long. */
const keptMs = 10_000;
const mostIndexes = 8;

export type KnownIndexes = (secrets: readonly string[]) => RedactSecrets;

/** Builds the index of a list of secrets once, as long as the list stays the same. */
export function createKnownIndexes(): KnownIndexes {
  const indexes = new LRUCache<string, RedactSecrets>({ max: mostIndexes, ttl: keptMs, ttlAutopurge: true });
  return (secrets) => {
    const key = digestOf(secrets);
    const known = indexes.get(key) ?? redactSecrets(secrets);
    indexes.set(key, known);
    return known;
  };
}

function digestOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('base64');
}
