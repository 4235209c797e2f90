/** Shorter texts are not searched for: redacting every `1` or `true` would make a log unreadable. */
export const leastLength = 6;
/** Longer texts are searched for in blocks of this length, which bounds the number of lengths to try at each position. */
const blockLength = 32;

export interface Range {
  from: number;
  to: number;
}

/** Finds texts in lines, at a cost that does not depend on the number of texts. */
export interface TextFinder {
  add(text: string): void;
  /** The ranges of texts in the units, in order and without overlaps. */
  find(units: Uint16Array): Range[];
  /** Where the units end within a text that may have been cut there; -1 if they do not. */
  findCut(units: Uint16Array): number;
}

// Random, but not enough against an author of secrets: texts can be constructed that collide with every base.
const base = (Math.floor(Math.random() * 0x4000_0000) << 2) | 5;
const powers = Int32Array.from({ length: blockLength + 1 }, (_, index) => {
  let power = 1;
  for (let times = 0; times < index; times += 1) power = Math.imul(power, base);
  return power;
});

/**
 * Compares rolling hashes (Rabin and Karp): at each position one hash of the first units, then one for each length of the texts that
 * begin with them, at most 27. Aho and Corasick's automaton would need a node for each unit of each encoding of each secret.
 */
export function createTextFinder(): TextFinder {
  const begins = new Uint8Array(1 << 16);
  /** Lengths of the texts, one bit each, by the hash of their first units. */
  const lengths = new Map<number, number>();
  /** A set only where texts collide: its own hash is keyed, so a thousand of them cost no more than one. */
  const byHash = new Map<number, string | Set<string>>();

  function addBlock(text: string): void {
    const hashes = hashesOf(unitsOf(text));
    const hash = windowAt(hashes, 0, text.length);
    const same = byHash.get(hash);
    if (same === undefined) byHash.set(hash, text);
    else if (typeof same !== 'string') same.add(text);
    else if (same !== text) byHash.set(hash, new Set([same, text]));
    const begin = windowAt(hashes, 0, leastLength);
    begins[slotOf(begin)] = 1;
    lengths.set(begin, (lengths.get(begin) ?? 0) | bitOf(text.length));
  }

  function lengthAt(units: Uint16Array, hashes: Int32Array, at: number): number {
    const begin = windowAt(hashes, at, leastLength);
    if (begins[slotOf(begin)] === 0) return 0;
    // The longest first.
    for (let left = lengths.get(begin) ?? 0; left !== 0; ) {
      const length = leastLength + 31 - Math.clz32(left);
      left ^= bitOf(length);
      const texts = at + length <= units.length ? byHash.get(windowAt(hashes, at, length)) : undefined;
      if (texts !== undefined && isOneAt(units, at, texts, length)) return length;
    }
    return 0;
  }

  return {
    add(text) {
      if (text.length < leastLength) return;
      for (let at = 0; at + blockLength <= text.length; at += blockLength) addBlock(text.slice(at, at + blockLength));
      if (text.length % blockLength !== 0) addBlock(text.slice(-blockLength));
    },

    find(units) {
      const found: Range[] = [];
      if (units.length < leastLength || byHash.size === 0) return found;
      const hashes = hashesOf(units);
      for (let at = 0; at + leastLength <= units.length; at += 1) {
        const length = lengthAt(units, hashes, at);
        if (length === 0) continue;
        const last = found.at(-1);
        if (last && at <= last.to) last.to = Math.max(last.to, at + length);
        else found.push({ from: at, to: at + length });
      }
      return found;
    },

    findCut(units) {
      const last = units.subarray(-blockLength);
      const hashes = hashesOf(last);
      for (let at = 0; at + leastLength <= last.length; at += 1) {
        const begin = windowAt(hashes, at, leastLength);
        if (begins[slotOf(begin)] !== 0 && lengths.has(begin)) return units.length - last.length + at;
      }
      return -1;
    },
  };
}

export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** Reused: allocating for each of many short lines would cost more than their hashes. */
const room = new Int32Array(4_096);

/** The hash of each beginning of the units, until the next call. */
function hashesOf(units: Uint16Array): Int32Array {
  const hashes = room.length > units.length ? room : new Int32Array(units.length + 1);
  for (let at = 0; at < units.length; at += 1) hashes[at + 1] = Math.imul(hashes[at] ?? 0, base) + (units[at] ?? 0) + 1;
  return hashes;
}

const windowAt = (hashes: Int32Array, at: number, length: number): number =>
  ((hashes[at + length] ?? 0) - Math.imul(hashes[at] ?? 0, powers[length] ?? 0)) | 0;

const slotOf = (hash: number): number => (hash ^ (hash >>> 16)) & 0xffff;

const bitOf = (length: number): number => 1 << (length - leastLength);

const isOneAt = (units: Uint16Array, at: number, texts: string | Set<string>, length: number): boolean =>
  typeof texts === 'string'
    ? isAt(units, at, texts)
    : texts.has(String.fromCharCode(...units.subarray(at, at + length)));

function isAt(units: Uint16Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (units[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
