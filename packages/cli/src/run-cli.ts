import { proposeCompletions, run, type StricliProcess } from '@stricli/core';
import { application } from './application.ts';
import { commandMeant } from './command-meant.ts';
import { exitCodes } from './failure/exit-codes.ts';
import { askOn } from './terminal/ask-on.ts';
import type { Cli, Terminal } from './terminal/cli.ts';

/** Runs the command that the arguments name; the exit code says what became of it. */
export async function runCli(given: NodeJS.Process): Promise<void> {
  // After `| head` the reader ends before the writer, which is not a failure.
  let isOutputRead = true;
  let tellGone = (): void => undefined;
  const outputGone = new Promise<void>((resolve) => (tellGone = resolve));
  for (const stream of [given.stdout, given.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream !== given.stdout) return;
      isOutputRead = false;
      tellGone();
    });
  const { stdout, stderr, env } = given;
  const process: StricliProcess = { stdout, stderr, env };
  const typed = given.argv.slice(2);
  const words = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed;
  const cli: Cli = { ...cliOf(given), words, isOutputRead: () => isOutputRead, outputGone, process };
  if (words[0] === '__complete') return complete(cli, words.slice(1));
  await run(application, words, cli);
  const code = Number(process.exitCode ?? 0);
  // The framework has negative codes for wrong usage.
  given.exitCode = code < 0 ? exitCodes.usage : code;
  if (code < 0) stderr.write(`  ${commandMeant(words)} --help says what there is\n`);
}

/** For the scripts of `berth completion`: a line for each word that may stand in place of the last one. */
async function complete(cli: Cli, words: readonly string[]): Promise<void> {
  const before = { ...cli, words: words.slice(0, -1) };
  const found = await proposeCompletions(application, words, before);
  // There are many flags, so they are offered only once one has been begun.
  const isFlag = (text: string | undefined): boolean => text?.startsWith('-') === true;
  const shown = found.filter(({ completion }) => isFlag(completion) === isFlag(words.at(-1)));
  for (const { completion } of shown) if (isPlainWord(completion)) cli.process.stdout.write(`${completion}\n`);
}

/** Bash puts a word into the command as it is, and names may be those of strangers: `$(…)` would be run by the next Enter. */
const isPlainWord = (text: string): boolean => /^[\p{L}\p{M}\p{N} ._:@%+=,/-]*$/u.test(text);

const terminalOf = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal | null =>
  stream.isTTY ? { columns: stream.columns || 80, isColoured: stream.getColorDepth(env) >= 4 } : null;

const cliOf = (given: NodeJS.Process): Omit<Cli, 'process' | 'isOutputRead' | 'outputGone' | 'words'> => {
  const { env, stdin, stdout, stderr } = given;
  return {
    env,
    terminals: { output: terminalOf(stdout, env), messages: terminalOf(stderr, env) },
    isUnicode: /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''),
    voice: { isQuiet: false },
    async readInput() {
      // Otherwise nothing would say that the command waits for input.
      if (stdin.isTTY) stderr.write('reading standard input, until Ctrl-D at the beginning of a line:\n');
      return (await stdin.setEncoding('utf8').toArray()).join('');
    },
    ask: askOn(given),
    readLine: async (signal) => {
      const { createInterface } = await import('node:readline');
      const lines = createInterface({ input: stdin, signal });
      for await (const line of lines) return line;
      return null;
    },
    onInterrupt: (act) => {
      given.on('SIGINT', act);
      return () => void given.off('SIGINT', act);
    },
  };
};
