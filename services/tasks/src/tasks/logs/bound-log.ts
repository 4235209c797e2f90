import { cutToSize } from '@berth/contracts/cut-text';
import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import type { LogState } from '../../store/tasks/log-repository.ts';

/** Bounded, so that a page of lines always fits into one answer. */
const maxLineBytes = 4096;

export interface LogLimits {
  lines: number;
  bytes: number;
}

/** Keeps the beginning of a log, since that usually shows the failure. */
const logLimits: LogLimits = { lines: 10_000, bytes: 5 * 1024 * 1024 };

export interface Appended {
  /** The lines to append. */
  lines: LogLine[];
  state: LogState;
}

/**
 * The lines of a batch that are new and still fit. `first` is the sender's number of the first line, so a repeated batch adds
 * nothing. If the log fills up before the output ends, its last line says so.
 */
export function boundLog(
  state: LogState,
  { first, lines }: { first: number; lines: readonly LogLine[] },
  limits: LogLimits = logLimits,
): Appended {
  const fresh = lines.slice(Math.max(0, state.next - first)).map(storable);
  const next = Math.max(state.next, first + lines.length);

  const kept: LogLine[] = [];
  let bytes = state.bytes;
  for (const line of fresh) {
    if (isFull({ lines: state.lines + kept.length, bytes }, limits)) break;
    bytes += sizeOf(line);
    const filled = isFull({ lines: state.lines + kept.length + 1, bytes }, limits);
    kept.push(
      filled ? { ...line, source: 'berth', text: 'the log is too long; the rest of the output is not kept' } : line,
    );
  }
  return { lines: kept, state: { next, lines: state.lines + kept.length, bytes } };
}

const isFull = ({ lines, bytes }: LogLimits, limits: LogLimits): boolean =>
  lines >= limits.lines || bytes >= limits.bytes;

const sizeOf = ({ text }: LogLine): number => Buffer.byteLength(text) + 64;

/** Cut by its length on the wire, where control characters take six bytes. Postgres cannot store NUL. */
const storable = (line: LogLine): LogLine => ({
  ...line,
  text: cutToSize(line.text.replaceAll('\0', ''), maxLineBytes, bytesOnWire),
});

const bytesOnWire = (text: string): number => Buffer.byteLength(JSON.stringify(text));
