import type { TaskEnd } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError, isOutage } from '@berth/contracts/errors';
import type { WakeUp } from '@berth/service/waiting/wake-up';

export interface LogPart {
  lines: readonly LogLine[];
  /** The index of the next line to read. */
  next: number;
  finished: boolean;
  outcome?: TaskEnd | undefined;
}

export interface FollowDeps {
  read: (from: number, limit: number) => Promise<LogPart>;
  /** Throws if the caller may no longer read the log. */
  reauthenticate: () => Promise<void>;
  wakeUp: Pick<WakeUp, 'wait'>;
  follow: boolean;
  signal: AbortSignal;
}

const maxLines = 500;
/** How long to wait for a hint before reading anyway: hints may be lost. */
const pollMs = 1_000;
/** How often the caller is authenticated again, so that its stream ends if it lost its permission. */
const reauthenticateMs = 900;
/** The longest outage that a stream survives. */
const outageMs = 20_000;

/** Reads a part that fits into one message: if the answer is too large, requests half as many lines. */
export async function readPart(read: FollowDeps['read'], from: number): Promise<LogPart & { complete: boolean }> {
  for (let limit = maxLines; ; limit = Math.ceil(limit / 2)) {
    try {
      const part = await read(from, limit);
      return { ...part, complete: part.lines.length < limit };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'too_large' || limit === 1) throw error;
    }
  }
}

/**
 * Yields the log from `first` on: to its current end, or with `follow` until the task has ended, and then its outcome. Throws if
 * it must stop early.
 */
export async function* followTaskLog(
  first: Awaited<ReturnType<typeof readPart>>,
  { read, reauthenticate, wakeUp, follow, signal }: FollowDeps,
): AsyncGenerator<string> {
  let authenticatedAt = performance.now();
  let outageSince: number | undefined;

  for (let part = first; ; ) {
    yield part.lines.map(({ text }) => `${text}\n`).join('');
    if (part.complete && (part.finished || !follow)) {
      if (follow && part.outcome) yield lastLine(part.outcome);
      return;
    }
    if (part.complete) await wakeUp.wait(pollMs);
    signal.throwIfAborted();
    try {
      if (performance.now() - authenticatedAt > reauthenticateMs) {
        await reauthenticate();
        authenticatedAt = performance.now();
      }
      part = await readPart(read, part.next);
      outageSince = undefined;
    } catch (error) {
      outageSince ??= performance.now();
      if (!isOutage(error) || performance.now() - outageSince > outageMs) throw error;
      // An empty part makes the loop wait and read again.
      part = { lines: [], next: part.next, finished: false, complete: true };
    }
  }
}

/** The outcome on one line, so that scripts can read it with `tail -n 1`. */
const lastLine = ({ status, reason }: TaskEnd): string =>
  reason === null ? `-- ${status}\n` : `-- ${status}: ${reason.replaceAll(/\s+/g, ' ').trim()}\n`;
