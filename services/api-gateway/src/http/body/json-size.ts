export interface JsonSize {
  /** Levels of objects and arrays. */
  depth: number;
  /** Members of all objects and arrays. */
  members: number;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const opensArray = 0x5b;
const closesArray = 0x5d;
const opensObject = 0x7b;
const closesObject = 0x7d;
const space = 0x20;

/**
 * Depth and members of a JSON text by one look at each byte, which stops where `most` is exceeded. Parsing first and
 * counting then would take a hundred times as long for the text of a stranger: half a million members fit into 1 MiB.
 * Says nothing about whether the text is JSON.
 */
export function jsonSizeOf(bytes: Uint8Array, most: JsonSize): JsonSize {
  const size = { depth: 0, members: 0 };
  let level = 0;
  let isFirst = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= space) continue;
    const closes = byte === closesArray || byte === closesObject;
    if (byte === comma || (isFirst && !closes)) {
      size.members += 1;
      if (size.members > most.members) return size;
    }
    isFirst = false;
    if (closes) level -= 1;
    if (byte === quote) at = endOfString(bytes, at);
    if (byte === opensArray || byte === opensObject) {
      isFirst = true;
      level += 1;
      size.depth = Math.max(size.depth, level);
      if (size.depth > most.depth) return size;
    }
  }
  return size;
}

/** Of the closing quote, or of the last byte. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) at += 1;
  }
  return bytes.length;
}
