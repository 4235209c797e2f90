import { startOf } from '@berth/contracts/cut-text';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { outputLimits } from './helm-limits.ts';

/**
 * Calls `onLine` for each line of a stream. Lines are truncated at 64 KiB, so that output without line breaks does not fill the
 * memory; they are not cut into pieces, because a secret across a cut would not be recognized. The middle of very long output is
 * skipped, and its last lines are read once the stream has ended.
 */
export function splitLines(stream: Readable, onLine: (line: string) => void, onSkipped: (bytes: number) => void): void {
  const { line: maxLine, logged } = outputLimits;
  let decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  let count = 0;
  let skipped = 0;
  let end = Buffer.alloc(0);

  function take(chunk: Buffer): void {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = (lines.pop() ?? '').slice(0, maxLine);
    count += lines.length;
    for (const line of lines) onLine(startOf(line, maxLine));
  }

  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= logged.bytes && count <= logged.lines) return take(chunk);
    const both = Buffer.concat([end, chunk]);
    end = both.subarray(-outputLimits.end);
    skipped += both.length - end.length;
  });
  stream.on('end', () => {
    if (skipped > 0) {
      // The text continues after a gap, so the first line is incomplete.
      decoder = new StringDecoder('utf8');
      rest = '';
      onSkipped(skipped);
    }
    take(end);
    const last = startOf(rest + decoder.end(), maxLine);
    if (last !== '') onLine(last);
    rest = '';
    end = Buffer.alloc(0);
  });
  // A broken pipe means that the process ended, which `HelmProcess.exited` reports.
  stream.on('error', () => undefined);
}
