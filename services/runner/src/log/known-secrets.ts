import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { createTextFinder, leastLength, type TextFinder } from './text-finder.ts';

/** For single lines of a longer text, such as a key. Shorter lines may be as common as `enabled: true`. */
const leastLine = 16;
/**
 * Characters of secrets that are searched for in hex and in all kinds of base64 too, which takes three times the memory. The shortest
 * secrets come first; only longer ones than most runs have are left.
 */
const mostEncoded = 256 * 1024;
/** Characters of secrets in one turn. */
const partLength = 64 * 1024;
/** Two blocks of the search. */
const endLength = 64;

/** The secrets of one run in every form that output may have. Escapes of JSON, YAML and URLs are decoded in the line instead. */
export interface KnownSecrets {
  texts(): TextFinder;
  add(credentials: readonly string[]): void;
}

/** Megabytes of secrets take some hundred milliseconds, so others are served meanwhile. */
export async function createKnownSecrets({
  secrets,
  confidential,
}: Pick<ClaimedTask, 'secrets' | 'confidential'>): Promise<KnownSecrets> {
  const finder = createTextFinder();
  const values = [...Object.values(secrets).flatMap((entries) => Object.values(entries)), ...confidential];
  for (const _ of inParts(finder, values)) await nextTurn();
  return {
    texts: () => finder,
    add: (credentials) => addTo(finder, credentials),
  };
}

export function finderOf(values: Iterable<string>): TextFinder {
  const finder = createTextFinder();
  addTo(finder, values);
  return finder;
}

function addTo(finder: TextFinder, values: Iterable<string>): void {
  Array.from(inParts(finder, values));
}

/** Adds the secrets and pauses after each part. */
function* inParts(finder: TextFinder, values: Iterable<string>): Generator<void> {
  let length = 0;
  let ofPart = 0;
  const secrets = [...new Set([...values].flatMap(withoutEnds))].filter((value) => value.length >= leastLength);
  for (const secret of secrets.toSorted((a, b) => a.length - b.length)) {
    length += secret.length;
    for (const form of formsOf(secret, { isEncoded: length <= mostEncoded })) finder.add(form);
    ofPart += secret.length;
    if (ofPart < partLength) continue;
    ofPart = 0;
    yield;
  }
}

/** A secret that was read from a file often ends with a line break, which charts trim. */
export const withoutEnds = (value: string): string[] => [value, value.trim()];

/** The forms of a secret: plain, line by line, in quotes of YAML, and encoded. */
function formsOf(value: string, { isEncoded }: { isEncoded: boolean }): Set<string> {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const longLines = lines.length === 1 ? [] : lines.filter(({ length }) => length >= leastLine);
  const bytes = Buffer.from(value);
  const padded = bytes.toString('base64');
  // Only the ends differ from the base64 below.
  const ends = [padded, padded.replace(/=+$/, '')].map((text) => text.slice(-endLength));
  const encoded = isEncoded
    ? [base64At(bytes, 1), base64At(bytes, 2), bytes.toString('hex'), bytes.toString('hex').toUpperCase()]
    : [];
  return new Set([value, ...longLines, value.replaceAll("'", "''"), base64At(bytes, 0), ...ends, ...encoded]);
}

/** The base64 of the bytes after `offset` others, without the characters that also depend on neighbouring bytes. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
