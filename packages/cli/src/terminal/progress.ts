import type { Cli } from './cli.ts';

const frames = ['|', '/', '-', '\\'];
const firstMs = 500;
const frameMs = 120;

/** Shows that something lasts, and how long it has lasted, while it does. On a terminal only: a pipe gets nothing. */
export async function withProgress<T>(cli: Cli, what: string, work: Promise<T>): Promise<T> {
  const terminal = cli.terminals?.messages;
  if (!terminal || cli.voice.isQuiet) return work;
  const started = performance.now();
  let frame = 0;
  const show = (): void => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    const text = `${frames[((frame += 1)) % frames.length]} ${what} (${seconds} s)`.slice(0, terminal.columns - 1);
    cli.process.stderr.write(`\r\u001b[K${text}`);
  };
  let ticking: NodeJS.Timeout | undefined;
  const starting = setTimeout(() => (ticking = setInterval(show, frameMs)), firstMs);
  try {
    return await work;
  } finally {
    clearTimeout(starting);
    clearInterval(ticking);
    if (frame > 0) cli.process.stderr.write('\r\u001b[K');
  }
}
