import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { giveWay, withLimits } from '@berth/process-guard/process-limits';
import { fieldErrors } from '@berth/contracts/fields/field-errors';
import { atMost } from '@berth/service/waiting/at-most';
import { brokenChart, ParsedChart } from './parsed-chart.ts';

/** The parsed chart, and whether its result is final: not after a timeout or a full heap, which may not happen again. */
interface ParseOutcome {
  chart: ParsedChart;
  isFinal: boolean;
}

export interface ChartParser extends AsyncDisposable {
  parse(archive: Uint8Array): Promise<ParseOutcome>;
}

const entry = fileURLToPath(new URL('./chart-parser-process.ts', import.meta.url));
const readyWithinMs = 30_000;
const heapMb = 192;
/** Unpacked files lie outside of the heap. V8 counts 560 MiB more than it uses. */
const limits = { memoryBytes: (560 + 2 * heapMb) * 1024 * 1024 };

/**
 * Unpacks and parses packaged charts one at a time, in a child process with its own heap, which can be killed: a few hundred
 * kilobytes of hostile YAML or tar headers keep a parser busy for minutes or fill its heap. In a worker thread, a full heap
 * would end the whole process.
 */
export function createChartParser({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): ChartParser {
  let child: ChildProcess | undefined;
  const inTurn = atMost(1);

  async function start(): Promise<ChildProcess> {
    const [execPath, execArgv] = withLimits(limits, [process.execPath, `--max-old-space-size=${heapMb}`]);
    const started = fork(entry, {
      env: {},
      execPath,
      execArgv,
      serialization: 'advanced',
      // V8's report of a full heap must not end up between the JSON lines of the log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child = started;
    if (started.pid !== undefined) giveWay(started.pid);
    // If an idle child dies, the next chart starts another; `answerOf` handles the death of a busy one.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    const first = await answerOf(started, readyWithinMs);
    if (first !== 'ready') throw new Error('the chart parser process did not start');
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
      if (typeof message === 'object') return { chart: checked(message), isFinal: true };

      await stop();
      const words = message === 'timeout' ? `longer than ${timeoutMs} ms` : 'more memory than is allowed';
      return { chart: brokenChart(`the files of the chart take ${words} to parse`), isFinal: false };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  return {
    parse: (archive) => inTurn(() => parseNext(archive)),
    [Symbol.asyncDispose]: stop,
  };
}

function checked(message: unknown): ParsedChart {
  const { data, error } = ParsedChart.safeParse(message);
  if (data) return data;
  const [first] = fieldErrors(error);
  return brokenChart(`the parsed chart cannot be stored: ${first?.path ?? ''}: ${first?.message ?? ''}`);
}

/** The next message of the child, or `died` or `timeout`. */
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
