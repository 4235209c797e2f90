import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@berth/shared/bus/bus';
import { type ClaimedTask, type LogLine, runnerTasks } from '@berth/shared/contracts/runner-tasks';
import { AppError } from '@berth/shared/errors';
import { redact } from './redact.ts';

const maxBatch = 200;
const maxWaiting = 5_000;
/** Lines that come close together travel together. */
const gatherMs = 50;
const closeWithinMs = 10_000;

export interface TaskLogDeps {
  task: Pick<ClaimedTask, 'task_id' | 'fence'>;
  bus: Pick<Bus, 'call'>;
  /** Texts that never leave: the credentials of this run. */
  secrets: string[];
  /** Aborts when the claim is lost: from then on nothing is sent. */
  lost: AbortSignal;
}

export type TaskLog = ReturnType<typeof createTaskLog>;

/** Streams lines to the service `tasks` in order and without repeats; bounded, and never in the way of Helm. */
export function createTaskLog({ task: { task_id, fence }, bus, secrets, lost }: TaskLogDeps) {
  const waiting: LogLine[] = [];
  let dropped = 0;
  let first = 0;
  let sending: Promise<void> | undefined;
  let failed = false;

  function add(source: LogLine['source'], text: string): void {
    if (waiting.length >= maxWaiting) {
      dropped += 1;
      return;
    }
    if (dropped > 0) {
      const note = `… ${dropped} lines left out: they came faster than they could be kept`;
      waiting.push({ at: new Date().toISOString(), source: 'berth', text: note });
      dropped = 0;
    }
    waiting.push({ at: new Date().toISOString(), source, text: redact(text, secrets).slice(0, 8_192) });
    sending ??= send().finally(() => {
      sending = undefined;
    });
  }

  async function send(): Promise<void> {
    await delay(gatherMs);
    while (waiting.length > 0 && !failed && !lost.aborted) {
      const lines = waiting.slice(0, maxBatch);
      try {
        await bus.call(runnerTasks.operations.append_log, { body: { task_id, fence, first, lines } });
        waiting.splice(0, lines.length);
        first += lines.length;
      } catch (error) {
        // `conflict`: another runner has the task. Anything else passes; the number of the first line makes repeats harmless.
        failed = error instanceof AppError && error.code === 'conflict';
        if (!failed) await delay(500);
      }
    }
  }

  return {
    say: (text: string) => add('berth', text),
    line: (stream: 'stdout' | 'stderr', text: string) => add(stream, text),
    /** Waits until everything has arrived, but not for ever: a task does not fail for its log. */
    async flush(): Promise<void> {
      const giveUp = new AbortController();
      await Promise.race([sending, delay(closeWithinMs, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
      giveUp.abort();
    },
  };
}
