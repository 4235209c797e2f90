import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuSecsOf, giveWay, withLimits } from '@berth/process-guard/process-limits';
import type { Answer, Question } from './answer-work.ts';
import { WorkFailed } from './work-failed.ts';
import { WorkRefused } from './work-refused.ts';

/** How a process ended. `crashed`: of itself, as V8 does without memory. `exited`: by a bug. `killed`: from outside. */
export type End = 'crashed' | 'exited' | 'killed';

/** A process that runs one job at a time. */
export interface WorkProcess {
  readonly pid: number;
  /** Resolves to the answer, or to the end of the process if it ended instead. */
  ask(question: Question): Promise<Answer | End>;
  /** Whether little is left of the processor time that the kernel allows it. */
  isSpent(): boolean;
  /** Lets this process exit although its child waits for jobs. */
  unref(): void;
  isAlive(): boolean;
  kill(): Promise<void>;
}

export interface WorkProcessOptions {
  /** The module that calls `answerWork`. */
  entry: URL;
  heapMb: number;
  /** Processor time of a process in its whole life. It ends a job that spins after its parent was killed. */
  cpuSecs: number;
}

const readyWithinMs = 30_000;
/** V8 counts this much more than it uses. Memory outside the heap, such as unpacked files, gets the same limit as the heap. */
const unusedMb = 560;
/** V8 aborts or traps where it finds no memory. The kernel, for lack of memory or processor time, and operators use SIGKILL. */
const crashes = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV']);

/** Throws when the signal aborts. A machine that is too busy to start a process refuses the work as `busy`. */
export async function startWorkProcess(
  { entry, heapMb, cpuSecs }: WorkProcessOptions,
  signal: AbortSignal,
): Promise<WorkProcess> {
  const node = [process.execPath, `--max-old-space-size=${heapMb}`, '--max-semi-space-size=8'];
  const [execPath, execArgv] = withLimits({ memoryBytes: (unusedMb + 2 * heapMb) * 1024 * 1024, cpuSecs }, node);
  const child = fork(fileURLToPath(entry), {
    env: {},
    execPath,
    execArgv,
    serialization: 'advanced',
    // V8's report of a full heap must not get between the JSON lines of the log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { pid } = child;
  if (pid !== undefined) giveWay(pid);
  // Emitted in addition to `exit`, or instead of it if the process could not be started.
  child.on('error', () => undefined);
  const isAlive = () => pid !== undefined && child.exitCode === null && child.signalCode === null;

  function end(): End {
    if (crashes.has(child.signalCode)) return 'crashed';
    return child.signalCode === null ? 'exited' : 'killed';
  }

  async function next(): Promise<unknown> {
    if (!isAlive()) return end();
    const over = new AbortController();
    const ended = Promise.race([once(child, 'exit', over), once(child, 'error', over)]);
    try {
      return await Promise.race([once(child, 'message', over).then(([message]) => message), ended.then(end, end)]);
    } finally {
      over.abort();
    }
  }

  async function kill(): Promise<void> {
    if (!isAlive()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  const late = AbortSignal.timeout(readyWithinMs);
  const stop = AbortSignal.any([signal, late]);
  const killNow = () => void kill();
  stop.addEventListener('abort', killNow);
  if (stop.aborted) killNow();
  const first = await next().finally(() => stop.removeEventListener('abort', killNow));
  if (first !== 'ready' || pid === undefined) {
    signal.throwIfAborted();
    if (late.aborted || first === 'killed')
      throw new WorkRefused('busy', 'No process for the work could start in time');
    throw new WorkFailed(`the process for ${entry.pathname} did not start`);
  }

  return {
    pid,
    isAlive,
    isSpent: () => (cpuSecsOf(pid) ?? 0) > cpuSecs / 2,
    kill,
    unref() {
      child.unref();
      child.channel?.unref();
    },
    async ask(question) {
      child.ref();
      child.channel?.ref();
      const answer = next();
      // A process that has ended is reported by its `exit`.
      if (child.connected) child.send(question, () => undefined);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by `answerWork`
      return (await answer) as Answer | End;
    },
  };
}
