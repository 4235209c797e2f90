import type { CommandContext } from '@stricli/core';
import { harmlessLines } from '../text/harmless.ts';
import { type Style, styled } from './style.ts';

/** One of the two outputs, where it is a terminal. */
export interface Terminal {
  columns: number;
  isColoured: boolean;
}

/** The part of the process that commands use; nothing else reads the process. */
export interface Cli extends CommandContext {
  readonly process: CommandContext['process'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments; during completion, those before the word that is being completed. */
  readonly words: readonly string[];
  /** Null for a pipe or a file. */
  readonly terminals: { output: Terminal | null; messages: Terminal | null };
  /** False where the locale, such as `LANG=C`, knows ASCII only. */
  readonly isUnicode: boolean;
  /** Set by `--quiet`: only answers and errors are written. */
  readonly voice: { isQuiet: boolean };
  /** The whole standard input. */
  readonly readInput: () => Promise<string>;
  /** The next line of standard input; null at its end. */
  readonly readLine: (signal: AbortSignal) => Promise<string | null>;
  /** Asks on the terminal and returns the answer; null if there is no terminal. */
  readonly ask: (question: string) => Promise<string | null>;
  /** False once the reader of standard output has gone, as after `| head`: a command that only writes there may end. */
  readonly isOutputRead: () => boolean;
  /** Resolves when the reader goes, for a command that waits for more to write. */
  readonly outputGone: Promise<void>;
  /** Until the returned function is called, each Ctrl-C calls `act` instead of ending the process. */
  readonly onInterrupt: (act: () => void) => () => void;
}

/** Writes a line of the answer. For a terminal, control characters are removed: names and messages may be those of strangers. */
export const print = ({ process, terminals }: Pick<Cli, 'process' | 'terminals'>, line: string): void =>
  process.stdout.write(`${terminals?.output ? harmlessLines(line) : line}\n`);

/** Writes a line about the work, which a pipe does not get. */
export const say = (cli: Cli, line: string): void => {
  if (!cli.voice?.isQuiet) note(cli, line);
};

/** Writes a line that `--quiet` does not suppress. */
export const note = ({ process }: Pick<Cli, 'process'>, line: string): void =>
  process.stderr.write(`${harmlessLines(line)}\n`);

/** Styles a text of the answer if the answer goes to a terminal with colours. */
export const paint = ({ terminals }: Pick<Cli, 'terminals'>, style: Style | null, text: string): string =>
  style !== null && terminals.output?.isColoured ? styled(style, text) : text;
