import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '@berth/contracts/cut-text';
import { TaskFailure } from '../outcome/task-failure.ts';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { AwaitedObjects } from './read-awaited.ts';
import { whyWaiting } from './why-waiting.ts';

export const firstReadMs = 2_500;
const pauseMs = 5_000;
/** Long waits change rarely, so they are read less often. */
const longMs = 2 * 60_000;
const pauseWhenLongMs = 15_000;
/** Reading a slow cluster takes at most a tenth of the time. */
const pausePerRead = 10;
const lastReadWithinMs = 5_000;
const mostOfReason = 500;

export interface ExplainWaitDeps {
  /** Reads the cluster once. The last read gets the failure that ended the wait. */
  readAwaited: (signal: AbortSignal, failure?: string) => Promise<AwaitedObjects>;
  lease: Pick<ClaimLease, 'waitsFor'>;
  /** Makes texts of the cluster safe to show. */
  words: (text: string) => string;
  /** Aborts when the run must end. */
  stop: AbortSignal;
}

export interface ExplainWait extends Disposable {
  /** Reads what the task waits for and reports it, or `otherwise` if no object explains it. */
  report(signal: AbortSignal, otherwise?: string): Promise<void>;
  /** Adds the last cause of the wait to the failure. */
  explain(failed: unknown): Promise<unknown>;
}

/** Until disposed of, the task reports what it waits for. */
export function explainWait({ readAwaited, lease, words, stop }: ExplainWaitDeps): ExplainWait {
  let last: string | null = null;
  let isOver = false;

  const read = async (until: AbortSignal, failure?: string): Promise<string | null> => {
    const { awaited, explanations } = await readAwaited(until, failure);
    return whyWaiting(awaited, explanations, words);
  };

  return {
    async report(signal, otherwise) {
      // If the cluster does not answer, the wait fails too and reports it.
      const text = (await read(signal).catch(() => last)) ?? (otherwise === undefined ? null : words(otherwise));
      if (signal.aborted || isOver) return;
      last = text;
      lease.waitsFor(text === null ? null : `Waiting for ${text}`);
    },
    async explain(failed) {
      isOver = true;
      if (!(failed instanceof TaskFailure) || stop.aborted || !isOfWaiting(failed.message)) return failed;
      const limit = AbortSignal.any([stop, AbortSignal.timeout(lastReadWithinMs)]);
      const cause = (await read(limit, failed.message).catch(() => null)) ?? last;
      if (cause === null) return failed;
      const reason = withCause(failed.message, cause);
      const toLog = failed.toLog === null ? `it waited for ${cause}` : reason;
      return new TaskFailure(reason, { kind: failed.kind, cause: failed, toLog });
    },
    [Symbol.dispose]() {
      isOver = true;
      lease.waitsFor(null);
    },
  };
}

/** The pause before the next report, which changes rarely in a long wait. */
export const pauseOfReports = (waitedMs: number): number => (waitedMs > longMs ? pauseWhenLongMs : pauseMs);

/** Reports beside a Helm that waits, until disposed of. */
export function watchWaiting(deps: ExplainWaitDeps): Pick<ExplainWait, 'explain'> & Disposable {
  const closed = new AbortController();
  const signal = AbortSignal.any([closed.signal, deps.stop]);
  const wait = explainWait(deps);

  async function keepReporting(): Promise<void> {
    const began = performance.now();
    for (let pause = firstReadMs; ; ) {
      await delay(pause, undefined, { signal });
      const readAt = performance.now();
      await wait.report(signal);
      pause = Math.max(pauseOfReports(readAt - began), (performance.now() - readAt) * pausePerRead);
    }
  }
  // It ends only when its signal aborts.
  keepReporting().catch(() => undefined);

  return {
    explain(failed) {
      closed.abort();
      return wait.explain(failed);
    },
    [Symbol.dispose]() {
      closed.abort();
      wait[Symbol.dispose]();
    },
  };
}

/** Whether Helm gave up waiting, or a hook failed; other failures are not caused by the state of the objects. */
const isOfWaiting = (message: string): boolean =>
  /deadline exceeded|timed out|not ready|failed (pre|post)-|had not finished after|(did|will) not become ready/i.test(
    message,
  );

/** The end of the reason is the cause, however long the message before it is. */
function withCause(message: string, cause: string): string {
  const waited = `; it waited for ${cause}`;
  return waited.length > mostOfReason - 100
    ? cutText(`${cutText(message, 100)}${waited}`, mostOfReason)
    : `${cutText(message, mostOfReason - waited.length)}${waited}`;
}
