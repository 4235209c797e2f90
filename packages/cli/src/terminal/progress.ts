import { setTimeout } from 'node:timers/promises';
import { startOf } from '../text/width.ts';
import type { Cli } from './cli.ts';

const frames = ['|', '/', '-', '\\'];
const firstMs = 500;
const frameMs = 120;

/** Shows how long work has taken so far, until it ends. On a terminal only: a pipe gets nothing. */
export async function withProgress<T>(cli: Cli, what: string, work: Promise<T>): Promise<T> {
  if (!cli.terminals?.messages || cli.voice.isQuiet) return work;
  const done = new AbortController();
  const showing = showUntil(done.signal, cli, what, cli.terminals.messages.columns);
  try {
    return await work;
  } finally {
    done.abort();
    await showing;
  }
}

async function showUntil(signal: AbortSignal, { process }: Cli, what: string, columns: number): Promise<void> {
  const started = performance.now();
  let shown = 0;
  try {
    for (let pauseMs = firstMs; ; pauseMs = frameMs) {
      await setTimeout(pauseMs, undefined, { signal });
      const seconds = Math.round((performance.now() - started) / 1_000);
      const text = `${frames[((shown += 1)) % frames.length]} ${what} (${seconds} s)`;
      process.stderr.write(`\r\u001b[K${startOf(text, columns - 1)}`);
    }
  } catch {
    // The work has ended: removes the line.
    if (shown > 0) process.stderr.write('\r\u001b[K');
  }
}
