import { RegistryError } from '../../connection/registry-error.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\uFEFF';
/** Generators write descriptions and annotations on one line. */
const longestLine = 1024 * 1024;

/** Reads the lines of a text that arrives in pieces. Each is a string of its own, so that keeping a part of it keeps no piece alive. */
export async function eachLine(pieces: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  /** The beginning of a line: joined once it has ended, since a sender may give each byte its own piece. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let isFirst = true;

  function keep(bytes: Buffer): void {
    begun.push(bytes);
    begunBytes += bytes.length;
    if (begunBytes > longestLine) {
      throw new RegistryError('malformed', `the index.yaml has a line of more than ${longestLine} bytes`);
    }
  }

  function takeLine(): void {
    const [only = Buffer.alloc(0)] = begun;
    const bytes = begun.length === 1 ? only : Buffer.concat(begun);
    const line = bytes.toString('utf8', 0, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length);
    begun = [];
    begunBytes = 0;
    take(isFirst && line.startsWith(byteOrderMark) ? line.slice(1) : line);
    isFirst = false;
  }

  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      keep(bytes.subarray(start, end));
      takeLine();
      start = end + 1;
    }
    if (start < bytes.length) keep(bytes.subarray(start));
  }
  if (begunBytes > 0) takeLine();
}
