/** A value of the record and its position in the bytes; the position of a string includes its quotes. */
export interface Scanned {
  value: unknown;
  from: number;
  to: number;
}

export type Field = 'version' | 'info.status' | 'info.description' | 'manifest';

/** Maximum bytes of each field. */
const limits: Record<Field, number> = {
  version: 16,
  'info.status': 64,
  'info.description': 64 * 1024,
  // The same limit as for the rendering that it is compared with.
  manifest: 4 * 1024 * 1024,
};
const fields: readonly Field[] = ['version', 'info.status', 'info.description'];

export interface RecordScanner {
  push(bytes: Uint8Array): void;
  /** Null if it is not the JSON of a release, or a field is too long. */
  end(): ReadonlyMap<Field, Scanned> | null;
}

/** A key or value that is being read. */
interface Token {
  path: Field | 'key';
  from: number;
  most: number;
  parts: Uint8Array[];
  size: number;
}

const longestKey = 64;

/**
 * Reads a few fields of a release in one pass and keeps nothing else. `JSON.parse` of a tenant's data may take up to 25 times its
 * bytes. The rest is not checked to be JSON.
 */
export function createRecordScanner({ withManifest }: { withManifest: boolean }): RecordScanner {
  const wanted: readonly Field[] = withManifest ? [...fields, 'manifest'] : fields;
  const found = new Map<Field, Scanned>();
  /** Bytes of earlier chunks. */
  let before = 0;
  let depth = 0;
  let inInfo = false;
  /** Whether the scanner is directly in the release or in its `info`. */
  let isTracked = false;
  let path = '';
  let awaitsKey = false;
  let inString = false;
  let isEscaped = false;
  let isBroken = false;
  let token: Token | null = null;

  function begin(at: number): void {
    const read = awaitsKey ? 'key' : wanted.find((field) => field === path);
    if (!read) return;
    token = { path: read, from: before + at, most: read === 'key' ? longestKey : limits[read], parts: [], size: 0 };
  }

  function take(part: Uint8Array): void {
    if (!token) return;
    token.size += part.length;
    if (token.size <= token.most) token.parts.push(part);
    else if (token.path !== 'key') isBroken = true;
  }

  function finish(part: Uint8Array, at: number): void {
    if (!token) return;
    take(part);
    const { path: read, from, most, size, parts } = token;
    token = null;
    if (size > most) {
      path = '';
      return;
    }
    const value = valueOf(parts);
    if (read !== 'key' && value !== undefined) found.set(read, { value, from, to: before + at });
    else if (typeof value === 'string') path = `${inInfo ? 'info.' : ''}${folded(value)}`;
    else isBroken = true;
  }

  return {
    push(bytes) {
      let start = 0;
      const open = (at: number) => {
        begin(at);
        start = at;
      };
      const close = (at: number) => finish(bytes.subarray(start, at), at);

      for (let at = 0; at < bytes.length && !isBroken; at += 1) {
        const byte = bytes[at] ?? 0;
        if (inString) {
          if (isEscaped) isEscaped = false;
          else if (byte === 0x5c) isEscaped = true;
          else if (byte === 0x22) {
            inString = false;
            if (token) close(at + 1);
          }
          continue;
        }
        switch (byte) {
          case 0x22: // "
            inString = true;
            if (isTracked) open(at);
            break;
          case 0x7b: // {
          case 0x5b: // [
            inInfo = depth === 1 ? path === 'info' && byte === 0x7b : inInfo;
            depth += 1;
            isTracked = depth === 1 || (depth === 2 && inInfo);
            awaitsKey = isTracked;
            if (depth === 1 && byte === 0x5b) isBroken = true;
            break;
          case 0x7d: // }
          case 0x5d: // ]
            if (token) close(at);
            depth -= 1;
            if (depth === 1) inInfo = false;
            isTracked = depth === 1 || (depth === 2 && inInfo);
            break;
          case 0x2c: // ,
            if (token) close(at);
            awaitsKey = isTracked;
            break;
          case 0x3a: // :
            awaitsKey = false;
            break;
          default:
            if (isTracked && !token && !awaitsKey && byte > 0x20) open(at);
        }
      }
      if (token) take(bytes.subarray(start));
      before += bytes.length;
    },

    end: () => (isBroken || depth !== 0 || inString ? null : found),
  };
}

/** Go matches names of fields without regard to case, beyond ASCII too. */
const folded = (key: string): string => key.replaceAll('\u017f', 's').toLowerCase();

function valueOf(parts: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}
