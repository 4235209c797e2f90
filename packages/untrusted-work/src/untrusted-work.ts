import { deserialize } from 'node:v8';
import type { Jobs, Question } from './answer-work.ts';
import { createFairQueue } from './fair-queue.ts';
import { type Over, startDeadline } from './job-deadline.ts';
import { createProcessPool } from './process-pool.ts';
import type { End, WorkProcess } from './work-process.ts';
import { WorkFailed } from './work-failed.ts';
import { WorkRefused } from './work-refused.ts';

interface WorkLimits {
  /** Each owner has a share of the slots and of the queue. */
  owner: string;
  signal: AbortSignal;
  /** Processor time that the job may use. */
  withinMs?: number;
  /** A machine that does not give it that much in this time is `busy`; six times as long unless given. */
  starvedAfterMs?: number;
  /** Limit of the serialized answer, which costs this process some 20 times its size while it is parsed. */
  maxAnswerBytes?: number;
}

/** Runs jobs on untrusted data, in processes that can be killed. */
export interface UntrustedWork<J extends Jobs> extends AsyncDisposable {
  /** Throws `WorkRefused` if the work exceeds a limit, else `WorkFailed`. */
  run<Name extends keyof J & string>(
    job: Name,
    input: Parameters<J[Name]>[0],
    limits: WorkLimits,
  ): Promise<Awaited<ReturnType<J[Name]>>>;
}

export interface UntrustedWorkOptions {
  /** The module that calls `answerWork` with the jobs. */
  entry: URL;
  /** How many processes; an owner uses at most half of them at a time. */
  slots?: number;
  /** Heap of each process. */
  heapMb?: number;
  /** How many jobs may wait; at most an eighth of them are of one owner. */
  waiting?: number;
  /** Processor time of a process in its whole life; at least four times that of a job. */
  cpuSecs?: number;
}

/**
 * Processes rather than threads: a thread with a full heap often ends the whole process, since V8 cannot abort a large
 * allocation. `JSON.parse` of many arrays or fractions causes this, and so does a growing `Map`.
 */
export function createUntrustedWork<J extends Jobs>(options: UntrustedWorkOptions): UntrustedWork<J> {
  const { entry, slots = 2, heapMb = 192, waiting = 64, cpuSecs = 120 } = options;
  const pool = createProcessPool({ entry, heapMb, cpuSecs });
  const queue = createFairQueue({
    running: slots,
    runningOfOwner: Math.ceil(slots / 2),
    waiting,
    waitingOfOwner: Math.ceil(waiting / 8),
  });
  const closing = new AbortController();

  async function enter(owner: string, signal: AbortSignal): Promise<void> {
    if (queue.take(owner)) return;
    const waiter = queue.wait(owner);
    if (!waiter) throw new WorkRefused('busy', 'Too much work of this kind waits already');
    using aborted = whenAborted(signal);
    await Promise.race([waiter.turn, aborted.promise]);
    if (signal.aborted && waiter.giveUp()) signal.throwIfAborted();
  }

  async function ask(
    question: Question,
    { signal, ...times }: Pick<Required<WorkLimits>, 'signal' | 'withinMs' | 'starvedAfterMs'>,
  ): Promise<unknown> {
    const process = await pool.take(signal);
    using deadline = startDeadline(process.pid, times);
    using aborted = whenAborted(signal);
    const answer = await Promise.race([process.ask(question), deadline.over, aborted.promise]);
    if (typeof answer === 'object') {
      pool.giveBack(process);
      return valueOf(answer);
    }
    await pool.drop(process);
    signal.throwIfAborted();
    throw failureOf(answer, times.withinMs);
  }

  async function run(job: string, input: unknown, limits: WorkLimits): Promise<unknown> {
    const { owner, withinMs = 5_000, starvedAfterMs = 6 * withinMs, maxAnswerBytes = 1024 * 1024 } = limits;
    const signal = AbortSignal.any([limits.signal, closing.signal]);
    signal.throwIfAborted();
    await enter(owner, signal);
    try {
      signal.throwIfAborted();
      return await ask({ job, input, maxBytes: maxAnswerBytes }, { signal, withinMs, starvedAfterMs });
    } finally {
      queue.leave(owner);
    }
  }

  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a job of the module `entry` answers
    run: run as UntrustedWork<J>['run'],

    async [Symbol.asyncDispose]() {
      closing.abort(new WorkFailed('its processes were stopped'));
      await pool[Symbol.asyncDispose]();
    },
  };
}

type Answered = Exclude<Awaited<ReturnType<WorkProcess['ask']>>, End>;

function valueOf(answer: Answered): unknown {
  if ('value' in answer) return deserialize(answer.value);
  if ('failed' in answer) throw new WorkFailed(answer.failed);
  throw new WorkRefused(
    'too large',
    `The result of the work has more than ${answer.largerThan} bytes, which are allowed`,
  );
}

/** Only what the data itself causes is a verdict about it. */
function failureOf(end: End | Over | 'aborted', withinMs: number): Error {
  switch (end) {
    case 'too slow':
      return new WorkRefused('too slow', `The work takes longer than ${withinMs} ms of processor time`);
    case 'crashed':
      return new WorkRefused('too large', 'The work needs more memory than is allowed');
    case 'exited':
      return new WorkFailed('its process ended');
    default:
      return new WorkRefused('busy', 'The machine is too busy for the work, or has ended its process');
  }
}

function whenAborted(signal: AbortSignal): Disposable & { promise: Promise<'aborted'> } {
  const { promise, resolve } = Promise.withResolvers<'aborted'>();
  const end = () => resolve('aborted');
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', end) };
}
