import { startOf } from '@berth/shared/cut-text';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const maxLine = 64 * 1024;

/**
 * Hands on each line of a stream. Of a longer one the rest is left out, so that a process without line breaks costs no
 * memory; it is not cut into pieces, because a secret across the cut would not be seen as one.
 */
export function splitLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = (lines.pop() ?? '').slice(0, maxLine);
    for (const line of lines) onLine(startOf(line, maxLine));
  });
  stream.on('end', () => {
    const last = startOf(rest + decoder.end(), maxLine);
    if (last !== '') onLine(last);
    rest = '';
  });
  // A pipe that breaks is the end of the process, which is told elsewhere.
  stream.on('error', () => undefined);
}
