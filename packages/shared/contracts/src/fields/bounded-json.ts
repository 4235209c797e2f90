import { type JsonSize, jsonSizeOf } from './json-size.ts';

/** Parsing the text would cost more than its author may use. */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
}

/** Enough for answers of which only a few fields are read. */
const usual: JsonSize = { depth: 64, members: 10_000 };

/**
 * Parses untrusted JSON after counting its depth and members: parsing `[[],[],…]` takes 25 times its bytes, and seconds. Throws
 * `JsonTooLarge` or a `SyntaxError`.
 */
export function parseBoundedJson(json: string | Uint8Array, limits: JsonSize = usual): unknown {
  const isText = typeof json === 'string';
  refuseLarge(isText ? new TextEncoder().encode(json) : json, limits);
  return JSON.parse(isText ? json : new TextDecoder().decode(json));
}

/** As `parseBoundedJson`; undefined if the text is not JSON or exceeds the limits. */
export function parsedBoundedJson(json: string | Uint8Array, limits?: JsonSize): unknown {
  try {
    return parseBoundedJson(json, limits);
  } catch {
    return undefined;
  }
}

function refuseLarge(bytes: Uint8Array, limits: JsonSize): void {
  const { depth, members } = jsonSizeOf(bytes, limits);
  if (members > limits.members) throw new JsonTooLarge(`it has more than ${limits.members} members`);
  if (depth > limits.depth) throw new JsonTooLarge(`it is nested deeper than ${limits.depth}`);
}
