import { EventEmitter } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { runCli } from '@berth/cli/run-cli';
import type { Ran } from './ran.ts';

interface Seen {
  env?: Record<string, string>;
  input?: string;
  /** Typed on a terminal, line by line, instead of `input`. */
  typed?: string;
  columns?: number;
  isTerminal?: boolean;
}

/** Runs `berth` in this process, which spares the start of another; its outputs are terminals of that width, or pipes. */
export async function runHere(
  args: readonly string[],
  { env = {}, input = '', typed, columns = 80, isTerminal = true }: Seen = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const stream = (add: (text: string) => void) =>
    Object.assign(outputOf(add), {
      ...(isTerminal && {
        isTTY: true,
        columns,
        getColorDepth: (given: Record<string, string>) => (given['NO_COLOR'] ? 1 : 8),
      }),
    });
  const given = Object.assign(new EventEmitter(), {
    argv: ['node', 'berth', ...args],
    env,
    exitCode: undefined as number | undefined,
    stdin: typed === undefined ? Readable.from([Buffer.from(input)]) : typedLine(typed),
    stdout: stream((text) => (out += text)),
    stderr: stream((text) => (err += text)),
  });
  // It has all members of a process that commands use.
  await runCli(given as unknown as NodeJS.Process);
  return { out, err, code: given.exitCode ?? 0 };
}

const outputOf = (add: (text: string) => void): Writable =>
  new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      add(String(text));
      done();
    },
  });

/** A terminal on which somebody types this line, and which stays open. */
function typedLine(line: string): PassThrough {
  const stdin = new PassThrough();
  stdin.write(`${line}\r`);
  return Object.assign(stdin, { isTTY: true });
}
