import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fieldErrors } from '@berth/shared/contracts/field-errors';
import { brokenChart, ParsedChart } from './parsed-chart.ts';

/** How a chart read, and whether another try could read it differently. */
export interface ParseOutcome {
  chart: ParsedChart;
  settled: boolean;
}

export interface ChartParser extends AsyncDisposable {
  parse(archive: Uint8Array): Promise<ParseOutcome>;
}

const entry = fileURLToPath(new URL('./chart-parser-process.ts', import.meta.url));
const readyWithinMs = 30_000;
const heapMb = 192;

/**
 * Unpacks and parses packaged charts one after the other in a process of its own, which has a heap of its own and may be
 * killed: some hundred kilobytes of hostile YAML, or of headers in a tar file, keep their parser busy for seconds to
 * minutes, or fill its heap. In a thread that would end us as well, since a heap that is full ends the whole process it
 * is in.
 */
export function createChartParser({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): ChartParser {
  let child: ChildProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function start(): Promise<ChildProcess> {
    const started = fork(entry, {
      env: {},
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      // What V8 says of a full heap is no line of our log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = started;
    // An idle one that dies is replaced when it is needed; a busy one is heard by `answerOf`.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    const first = await answerOf(started, readyWithinMs);
    if (first !== 'ready') throw new Error('the chart parser does not start');
    return started;
  }

  async function stop(): Promise<void> {
    const stopped = child;
    child = undefined;
    if (!stopped || stopped.exitCode !== null || stopped.signalCode !== null) return;
    const gone = once(stopped, 'exit');
    stopped.kill('SIGKILL');
    await gone;
  }

  async function parseNext(archive: Uint8Array): Promise<ParseOutcome> {
    try {
      const busy = child ?? (await start());
      const answer = answerOf(busy, timeoutMs);
      busy.send(archive);
      const message = await answer;
      if (typeof message === 'object') return { chart: checked(message), settled: true };

      await stop();
      const words = message === 'timeout' ? `longer than ${timeoutMs} ms` : 'more memory than they may';
      return { chart: brokenChart(`the files of the chart take ${words} to parse`), settled: false };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  return {
    parse(archive) {
      const turn = queue.then(() => parseNext(archive));
      queue = turn.catch(() => undefined);
      return turn;
    },
    [Symbol.asyncDispose]: stop,
  };
}

function checked(message: unknown): ParsedChart {
  const { data, error } = ParsedChart.safeParse(message);
  if (data) return data;
  const [first] = fieldErrors(error);
  return brokenChart(`what the chart says cannot be kept: ${first?.path ?? ''}: ${first?.message ?? ''}`);
}

/** The next message of the process, or what became of it instead. */
async function answerOf(child: ChildProcess, withinMs: number): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(() => 'died'),
      sleep(withinMs, 'timeout', { signal }),
    ]);
  } finally {
    over.abort();
  }
}
