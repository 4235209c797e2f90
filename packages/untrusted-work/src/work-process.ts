import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { giveWay, withLimits } from '@berth/process-guard/process-limits';
import type { Answer, Question } from './answer-work.ts';

/** A process that runs one job at a time. */
export interface WorkProcess {
  /** Resolves to the answer, or to `died` if the process ended instead. */
  ask(question: Question): Promise<Answer | 'died'>;
  /** Lets this process exit although its child waits for jobs. */
  unref(): void;
  isAlive(): boolean;
  kill(): Promise<void>;
}

export interface WorkProcessOptions {
  /** The module that calls `answerWork`. */
  entry: URL;
  heapMb: number;
}

const readyWithinMs = 30_000;
/** V8 counts this much more than it uses. Memory outside the heap, such as unpacked files, gets the same limit as the heap. */
const unusedMb = 560;

export async function startWorkProcess({ entry, heapMb }: WorkProcessOptions): Promise<WorkProcess> {
  const node = [process.execPath, `--max-old-space-size=${heapMb}`, '--max-semi-space-size=8'];
  const [execPath, execArgv] = withLimits({ memoryBytes: (unusedMb + 2 * heapMb) * 1024 * 1024 }, node);
  const child = fork(fileURLToPath(entry), {
    env: {},
    execPath,
    execArgv,
    serialization: 'advanced',
    // V8's report of a full heap must not get between the JSON lines of the log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (child.pid !== undefined) giveWay(child.pid);
  // Emitted in addition to `exit`, or instead of it if the process could not be started.
  child.on('error', () => undefined);
  const isAlive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;

  async function next(): Promise<unknown> {
    if (!isAlive()) return 'died';
    const over = new AbortController();
    const ended = Promise.race([once(child, 'exit', over), once(child, 'error', over)]);
    try {
      return await Promise.race([
        once(child, 'message', over).then(([message]) => message),
        ended.then(
          () => 'died',
          () => 'died',
        ),
      ]);
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

  const timer = setTimeout(() => void kill(), readyWithinMs);
  const first = await next().finally(() => clearTimeout(timer));
  if (first !== 'ready') throw new Error(`the process for ${entry.pathname} did not start`);

  return {
    isAlive,
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
      return (await answer) as Answer | 'died';
    },
  };
}
