import { RegistryError } from '../../connection/registry-error.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\uFEFF';
/** Generators write descriptions and annotations on one line. */
const longestLine = 1024 * 1024;

/** Reads the lines of a text that arrives in pieces. Each is a string of its own, so that keeping a part of it keeps no piece alive. */
export async function eachLine(pieces: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = Buffer.alloc(0);
  let isFirst = true;

  function takeLine(bytes: Buffer, start: number, end: number): void {
    const line = bytes.toString('utf8', start, end > start && bytes[end - 1] === carriageReturn ? end - 1 : end);
    take(isFirst && line.startsWith(byteOrderMark) ? line.slice(1) : line);
    isFirst = false;
  }

  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      takeLine(bytes, start, end);
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
    if (rest.length > longestLine) {
      throw new RegistryError('malformed', `the index.yaml has a line of more than ${longestLine} bytes`);
    }
  }
  if (rest.length > 0) takeLine(rest, 0, rest.length);
}
