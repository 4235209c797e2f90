import { startOf } from '@berth/contracts/cut-text';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const maxLine = 64 * 1024;

/**
 * Calls `onLine` for each line of a stream. A line is truncated at 64 KiB, so that output without line breaks costs no memory;
 * it is not cut into pieces, because a secret across a cut would not be recognized.
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
  // A broken pipe means that the process ended, which `HelmProcess.exited` reports.
  stream.on('error', () => undefined);
}
