import type { CommandContext } from '@stricli/core';

/** What commands get of the process: nothing else reads it. */
export interface Cli extends CommandContext {
  readonly process: CommandContext['process'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The whole standard input. */
  readonly readInput: () => Promise<string>;
  /** Asks on the terminal, and gives the answer; null where there is nobody to ask. */
  readonly ask: (question: string) => Promise<string | null>;
  /** False once the reader of standard output has gone, as after `| head`: what only writes there may end. */
  readonly isOutputRead: () => boolean;
  /** Calls it for each Ctrl-C, instead of ending, until the returned function is called. */
  readonly onInterrupt: (act: () => void) => () => void;
}

/** Writes a line of the answer. */
export const print = ({ process }: Cli, line: string): void => process.stdout.write(`${line}\n`);

/** Writes a line about the work, which a pipe does not get. */
export const say = ({ process }: Cli, line: string): void => process.stderr.write(`${line}\n`);
