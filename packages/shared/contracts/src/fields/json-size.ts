export interface JsonSize {
  /** Nesting depth of objects and arrays. */
  depth: number;
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
 * Counts depth and members of a JSON text in one pass over its bytes and stops when `limits` is exceeded. Parsing an
 * untrusted text before counting would take a hundred times as long: half a million members fit into 1 MiB. It does not
 * validate the text.
 */
export function jsonSizeOf(bytes: Uint8Array, limits: JsonSize): JsonSize {
  const size = { depth: 0, members: 0 };
  let level = 0;
  let isFirst = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= space) continue;
    const closes = byte === closesArray || byte === closesObject;
    if (byte === comma || (isFirst && !closes)) {
      size.members += 1;
      if (size.members > limits.members) return size;
    }
    isFirst = false;
    if (closes) level -= 1;
    if (byte === quote) at = endOfString(bytes, at);
    if (byte === opensArray || byte === opensObject) {
      isFirst = true;
      level += 1;
      size.depth = Math.max(size.depth, level);
      if (size.depth > limits.depth) return size;
    }
  }
  return size;
}

/** The index of the closing quote, or the length of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) at += 1;
  }
  return bytes.length;
}
