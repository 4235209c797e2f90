import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { runCli } from '@berth/cli/run-cli';
import type { Ran } from '../grounds/run-berth.ts';

interface Seen {
  env?: Record<string, string>;
  input?: string;
  columns?: number;
  isTerminal?: boolean;
}

/** `berth` in this process, whose outputs are terminals of that width, or pipes. */
export async function runHere(
  args: readonly string[],
  { env = {}, input = '', columns = 80, isTerminal = true }: Seen = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const stream = (write: (text: string) => void) =>
    Object.assign(new EventEmitter(), {
      isTTY: isTerminal,
      columns,
      write,
      getColorDepth: (given: Record<string, string>) => (given['NO_COLOR'] ? 1 : 8),
    });
  const given = Object.assign(new EventEmitter(), {
    argv: ['node', 'berth', ...args],
    env,
    exitCode: undefined as number | undefined,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stream((text) => (out += text)),
    stderr: stream((text) => (err += text)),
  });
  // It has all members of a process that commands use.
  await runCli(given as unknown as NodeJS.Process);
  return { out, err, code: given.exitCode ?? 0 };
}
