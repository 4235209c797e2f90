import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const maxLine = 8_000;

/** Hands on each line of a stream; a longer one in pieces, so that a process without line breaks costs no memory. */
export function splitLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const cut = (text: string): string => {
    let tail = text;
    while (tail.length > maxLine) {
      onLine(tail.slice(0, maxLine));
      tail = tail.slice(maxLine);
    }
    return tail;
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = cut(lines.pop() ?? '');
    for (const line of lines) onLine(cut(line));
  });
  stream.on('end', () => {
    const last = rest + decoder.end();
    if (last !== '') onLine(last);
    rest = '';
  });
}
