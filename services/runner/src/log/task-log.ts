import type { Bus } from '@berth/bus/bus';
import { type ClaimedTask, type LogLine, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';
import { logTexts } from './log-texts.ts';
import type { TextFinder } from './text-finder.ts';

const maxBatchLines = 200;
const maxBatchLength = 128 * 1024;
const maxWaitingLines = 5_000;
const maxWaitingLength = 2 * 1024 * 1024;
/** Lines within this time share a batch, which is still live enough for a reader. */
const gatherMs = 200;
const retryMs = 500;
/** Tries of a batch that the service cannot store, so that later lines do not wait for it. */
const triesPerBatch = 3;

export interface TaskLogDeps {
  task: Pick<ClaimedTask, 'task_id' | 'fence'>;
  bus: Pick<Bus, 'call'>;
  /** Texts to redact from every line. */
  secrets: () => TextFinder;
  /** Lines are not sent after its loss. `isLost` reads the clock, since the signal may be late in a process that was paused. */
  lease: { readonly lost: AbortSignal; isLost(): boolean };
}

export type TaskLog = ReturnType<typeof createTaskLog>;

/** Sends lines to the service `tasks`, in order and without repeats. The buffer is bounded, and Helm never waits for it. */
export function createTaskLog({ task: { task_id, fence }, bus, secrets, lease }: TaskLogDeps) {
  const waiting: LogLine[] = [];
  let waitingLength = 0;
  /** Lines that arrived while the buffer was full. */
  let dropped = 0;
  /** Lines that the service could not store. */
  let missing = 0;
  let first = 0;
  let sending: Promise<void> | undefined;
  let ended = false;
  const closing = new AbortController();

  function add(source: LogLine['source'], line: string): void {
    if (isOver()) return;
    sending ??= send();
    // Dropped before redaction, so that lines that are printed faster than they are stored cost little.
    if (waiting.length >= maxWaitingLines || waitingLength >= maxWaitingLength) {
      dropped += 1;
      return;
    }
    const at = new Date().toISOString();
    for (const text of logTexts(line, secrets())) push({ at, source, text });
  }

  const isOver = (): boolean => ended || lease.isLost();

  function push(line: LogLine): void {
    waiting.push(line);
    waitingLength += line.text.length;
  }

  function nextBatch(): LogLine[] {
    let length = 0;
    const end = waiting.findIndex((line, index) => {
      length += line.text.length;
      return index === maxBatchLines || (index > 0 && length > maxBatchLength);
    });
    return waiting.slice(0, end === -1 ? waiting.length : end);
  }

  function noteDropped(): void {
    if (dropped === 0) return;
    const text = `… ${dropped} lines left out: they arrived faster than they could be stored`;
    dropped = 0;
    push({ at: new Date().toISOString(), source: 'berth', text });
  }

  /** The lines, preceded by a note on missing lines. */
  function batchOf(lines: readonly LogLine[]): LogLine[] {
    if (missing === 0) return [...lines];
    const text = `… ${missing} lines are missing here: they could not be stored`;
    return [{ at: new Date().toISOString(), source: 'berth', text }, ...lines];
  }

  async function send(): Promise<void> {
    await pause(gatherMs, closing.signal);
    for (let lines = nextBatch(); (lines.length > 0 || missing > 0) && !isOver(); lines = nextBatch()) {
      const batch = batchOf(lines);
      const result = await sendBatch(batch);
      if (result === 'ended') ended = true;
      if (ended || result === 'lost') break;
      waiting.splice(0, lines.length);
      waitingLength -= lines.reduce((sum, { text }) => sum + text.length, 0);
      first += batch.length;
      if (result === 'stored') {
        missing = 0;
        noteDropped();
      } else {
        // If even the note alone is refused, the log ends without it.
        missing = lines.length === 0 ? 0 : missing + lines.length;
      }
    }
    // Runs in the same turn as the last `nextBatch`, so that a line between the two is not lost.
    sending = undefined;
    if (isOver()) waiting.length = 0;
  }

  /** A retry has the same lines as the first try; their number makes it harmless. */
  async function sendBatch(lines: LogLine[]): Promise<'stored' | 'refused' | 'ended' | 'lost'> {
    for (let refusals = 0; !isOver(); ) {
      try {
        await bus.call(runnerTasks.operations.append_log, { body: { task_id, fence, first, lines } });
        return 'stored';
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'ended') return 'ended';
        if (meaning !== 'unavailable') refusals += meaning === 'refused' ? triesPerBatch : 1;
        if (refusals >= triesPerBatch) return 'refused';
        await pause(retryMs, lease.lost);
      }
    }
    return 'lost';
  }

  return {
    say: (text: string) => add('berth', text),
    line: (stream: 'stdout' | 'stderr', text: string) => add(stream, text),
    /** Waits until every line is stored, within a limit: a task does not fail because of its log. */
    async close(withinMs: number): Promise<void> {
      closing.abort();
      const giveUp = new AbortController();
      const signal = AbortSignal.any([giveUp.signal, lease.lost]);
      await Promise.race([sending, pause(withinMs, signal)]);
      giveUp.abort();
      ended = true;
    },
  };
}

/** `unavailable`: may be stored later. `failed`: a bug of the service, perhaps with these very lines. `ended`: the claim is over. */
function meaningOf(error: unknown): 'unavailable' | 'failed' | 'refused' | 'ended' {
  if (!(error instanceof AppError) || error.code === 'internal') return 'failed';
  if (error.code === 'conflict' || error.code === 'not_found') return 'ended';
  return error.status >= 500 || error.code === 'too_many_requests' ? 'unavailable' : 'refused';
}
