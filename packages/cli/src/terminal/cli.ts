import type { CommandContext } from '@stricli/core';
import { harmlessLines } from '../text/harmless.ts';
import { type Style, styled } from './style.ts';

/** One of the two outputs, where it is a terminal. */
export interface Terminal {
  columns: number;
  isColoured: boolean;
}

/** What commands get of the process: nothing else reads it. */
export interface Cli extends CommandContext {
  readonly process: CommandContext['process'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments, for completion: what is given before the word that is completed. */
  readonly words: readonly string[];
  /** Null for a pipe or a file. */
  readonly terminals: { output: Terminal | null; messages: Terminal | null };
  /** False where the locale, such as `LANG=C`, knows ASCII only. */
  readonly isUnicode: boolean;
  /** Set by `--quiet`: only answers and errors are written. */
  readonly voice: { isQuiet: boolean };
  /** The whole standard input. */
  readonly readInput: () => Promise<string>;
  /** The next line of standard input, without showing what is typed elsewhere; null at its end. */
  readonly readLine: (signal: AbortSignal) => Promise<string | null>;
  /** Asks on the terminal, and gives the answer; null where there is nobody to ask. */
  readonly ask: (question: string) => Promise<string | null>;
  /** False once the reader of standard output has gone, as after `| head`: what only writes there may end. */
  readonly isOutputRead: () => boolean;
  /** Resolves then, for what only waits for more to write. */
  readonly outputGone: Promise<void>;
  /** Calls it for each Ctrl-C, instead of ending, until the returned function is called. */
  readonly onInterrupt: (act: () => void) => () => void;
}

/** Writes a line of the answer. A terminal obeys nothing that a name or a message of strangers holds; a pipe gets it as it is. */
export const print = ({ process, terminals }: Pick<Cli, 'process' | 'terminals'>, line: string): void =>
  process.stdout.write(`${terminals?.output ? harmlessLines(line) : line}\n`);

/** Writes a line about the work, which a pipe does not get. */
export const say = (cli: Cli, line: string): void => {
  if (!cli.voice?.isQuiet) note(cli, line);
};

/** Writes a line that is wanted also where the rest is quiet. */
export const note = ({ process }: Pick<Cli, 'process'>, line: string): void =>
  process.stderr.write(`${harmlessLines(line)}\n`);

/** A text of the answer in a style, where the answer goes to a terminal with colours. */
export const paint = ({ terminals }: Pick<Cli, 'terminals'>, style: Style | null, text: string): string =>
  style !== null && terminals.output?.isColoured ? styled(style, text) : text;
