import type { LogPosition } from '@berth/contracts/resources/clusters/pod-log';
import type { LogLine } from './log-lines.ts';

/** A read begins this much earlier, since lines of stdout and stderr may be out of order and the kubelet compares whole seconds. */
const overlapMs = 1_000;

/** The `sinceTime` from which to read in order to continue at a position; undefined: from the beginning. */
export function readFrom({ at }: LogPosition): string | undefined {
  return at === null ? undefined : new Date(Math.floor(millisOf(at) / 1_000) * 1_000 - overlapMs).toISOString();
}

/**
 * Skips the lines that were read before. A position is the latest time of a line, and the number of lines read since the first
 * line of that time; these are skipped when the log is read again.
 */
export function createLogCursor(position: LogPosition) {
  let { at, lines } = position;
  let skipped = 0;
  let isBehind = at === null;

  return {
    /** Whether the line is new. */
    take(line: LogLine): boolean {
      // A message of the kubelet itself is repeated in each read.
      if (line.at === null && at !== null) return false;
      isBehind ||= line.at !== null && at !== null && isNotBefore(line.at, at);
      if (!isBehind) return false;
      if (skipped < lines && !(at === null && line.at !== null)) {
        skipped += 1;
        return false;
      }
      if (line.at !== null && (at === null || isAfter(line.at, at))) {
        at = line.at;
        lines = 0;
      }
      lines += 1;
      skipped = lines;
      return true;
    },

    position: (): LogPosition => ({ at, lines }),
  };
}

const millisOf = (at: string): number => Date.parse(at);

const nanosOf = (at: string): string => (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(9, '0');

/** Normalises times, which may differ in zone and number of digits within one log. */
function compare(one: string, other: string): number {
  const seconds = Math.floor(millisOf(one) / 1_000) - Math.floor(millisOf(other) / 1_000);
  return seconds === 0 ? Number(nanosOf(one)) - Number(nanosOf(other)) : seconds;
}

const isAfter = (one: string, other: string): boolean => compare(one, other) > 0;
const isNotBefore = (one: string, other: string): boolean => compare(one, other) >= 0;
