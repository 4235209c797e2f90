import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { brokenChart, ParsedChart } from './parsed-chart.ts';

/** How a chart read, and whether another try could read it differently. */
export interface ParseOutcome {
  chart: ParsedChart;
  settled: boolean;
}

export interface ChartParser extends AsyncDisposable {
  parse(files: ReadonlyMap<string, string>): Promise<ParseOutcome>;
}

const entry = new URL('./chart-parser-worker.ts', import.meta.url);
const readyWithinMs = 30_000;

/**
 * Parses charts one after the other in a thread of its own that may be stopped: some hundred kilobytes of hostile YAML
 * keep the parser busy for minutes, and on the main thread that would be the end of every request meanwhile.
 */
export function createChartParser({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): ChartParser {
  let worker: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Worker> {
    const started = new Worker(entry, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 192 } });
    worker = started;
    // An idle one that dies is replaced when it is needed; a busy one is heard by `answerOf`.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    if ((await answerOf(started, readyWithinMs)) === 'timeout') throw new Error('the chart parser does not start');
    return started;
  }

  async function stop(): Promise<void> {
    await worker?.terminate();
    worker = undefined;
  }

  async function parseNext(files: ReadonlyMap<string, string>): Promise<ParseOutcome> {
    try {
      const busy = worker ?? (await start());
      const answer = answerOf(busy, timeoutMs);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      busy.postMessage(files);
      const message = await answer;
      if (typeof message === 'object') return { chart: ParsedChart.parse(message), settled: true };

      await stop();
      const words = message === 'timeout' ? `longer than ${timeoutMs} ms` : 'more memory than they may';
      return { chart: brokenChart(`the files of the chart take ${words} to parse`), settled: false };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  return {
    parse(files) {
      const turn = queue.then(() => parseNext(files));
      queue = turn.catch(() => undefined);
      return turn;
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** The next message of the worker, or what became of it instead. */
async function answerOf(worker: Worker, withinMs: number): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(worker, 'message', { signal }).then(([message]) => message),
      once(worker, 'exit', { signal }).then(() => 'died'),
      sleep(withinMs, 'timeout', { signal }),
    ]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'died';
    throw error;
  } finally {
    over.abort();
  }
}
