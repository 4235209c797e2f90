import type { LogLine } from '@berth/shared/contracts/resources/runner-tasks';
import { AppError, isOutage } from '@berth/shared/errors';
import type { WakeUp } from '@berth/shared/waiting/wake-up';

export interface LogPart {
  lines: readonly LogLine[];
  /** Where the next part begins. */
  next: number;
  finished: boolean;
}

export interface FollowDeps {
  /** The next lines, at most `limit` of them. */
  read: (from: number, limit: number) => Promise<LogPart>;
  /** Throws when the reader may no longer see the log. */
  reauthenticate: () => Promise<void>;
  wakeUp: Pick<WakeUp, 'wait'>;
  follow: boolean;
  signal: AbortSignal;
}

const largestBatch = 500;
/** How long a follower waits for a hint before it looks by itself: hints may be lost. */
const pollMs = 1_000;
/** The identity behind a stream is read again this often, so that a caller that lost its rights is cut off. */
const reauthenticateMs = 900;
/** The platform may be away for this long before a stream is given up. */
const outageMs = 20_000;

/** A part that fits into one message: lines may be long, so where the answer is too large, half as many are asked for. */
export async function readPart(read: FollowDeps['read'], from: number): Promise<LogPart & { complete: boolean }> {
  for (let limit = largestBatch; ; limit = Math.ceil(limit / 2)) {
    try {
      const part = await read(from, limit);
      return { ...part, complete: part.lines.length < limit };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'too_large' || limit === 1) throw error;
    }
  }
}

/** The log in parts, from `first` on: as far as it goes, or until its task has ended. Throws where it must end early. */
export async function* followTaskLog(
  first: Awaited<ReturnType<typeof readPart>>,
  { read, reauthenticate, wakeUp, follow, signal }: FollowDeps,
): AsyncGenerator<readonly LogLine[]> {
  let readAs = performance.now();
  let away: number | undefined;

  for (let part = first; ; ) {
    yield part.lines;
    if (part.complete && (part.finished || !follow)) return;
    if (part.complete) await wakeUp.wait(pollMs);
    signal.throwIfAborted();
    try {
      if (performance.now() - readAs > reauthenticateMs) {
        await reauthenticate();
        readAs = performance.now();
      }
      part = await readPart(read, part.next);
      away = undefined;
    } catch (error) {
      away ??= performance.now();
      if (!isOutage(error) || performance.now() - away > outageMs) throw error;
      // Nothing new, so that the loop waits and looks again.
      part = { lines: [], next: part.next, finished: false, complete: true };
    }
  }
}
