import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildCli } from '../../scripts/cli/build-cli.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';

const run = promisify(execFile);
const starts = 31;

/** The time of `berth --help`, in turns with a Node that does nothing. */
export async function measureCliStart(say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  try {
    await buildCli(join(folder, 'cli'));
    await writeFile(join(folder, 'nothing.mjs'), '');
    const timed = async (...args: string[]): Promise<number> => {
      const started = performance.now();
      await run(process.execPath, args, { env: { PATH: process.env['PATH'] } });
      return performance.now() - started;
    };
    const [help, nothing]: [number[], number[]] = [[], []];
    // The first start writes the cache of compiled code.
    await timed(join(folder, 'cli/berth.js'), '--help');
    for (let start = 0; start < starts; start += 1) {
      nothing.push(await timed(join(folder, 'nothing.mjs')));
      help.push(await timed(join(folder, 'cli/berth.js'), '--help'));
    }
    const words = (times: number[]) =>
      `p50 ${Math.round(quantile(times, 0.5))} ms, least ${Math.round(Math.min(...times))} ms`;
    say(`berth --help: ${words(help)}; Node alone: ${words(nothing)}; ${loadOfMachine()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
