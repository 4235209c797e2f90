import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Ran } from './ran.ts';
import { runHere } from './run-here.ts';

interface Given {
  input?: string;
  /** Standard input stays open until `enter` writes its one line. */
  isTyped?: true;
  /** Stops reading standard output after its first part, as `| head` does. */
  readsOnce?: true;
  /** Called after each write with the whole output so far. */
  onOutput?: (sofar: string, interrupt: () => void, enter: (line: string) => void) => void;
}

/** `berth` as a process of its own, with nothing of this one's environment but the path. */
export const createBerthProcess =
  (program: string, env: Record<string, string>, written: string[]) =>
  async (args: readonly string[], { input = '', isTyped, onOutput, readsOnce }: Given = {}): Promise<Ran> => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env['PATH'], LANG: 'C', ...env },
    });
    let [out, err] = ['', ''];
    const enter = (line: string): void => void child.stdin.end(`${line}\n`);
    const interrupt = (): void => void child.kill('SIGINT');
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (readsOnce) child.stdout.destroy();
      onOutput?.(out + err, interrupt, enter);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      onOutput?.(out + err, interrupt, enter);
    });
    if (!isTyped) child.stdin.end(input);
    const [status, signal] = await once(child, 'close');
    const code: number | null = signal === 'SIGINT' ? 130 : status;
    written.push(out, err);
    return { code, out, err };
  };

/** The same in this process, unless the test needs a signal, a pipe or a prompt: a short command spends most of its time on its start. */
export const createBerth = (program: string, env: Record<string, string>, written: string[]) => {
  const asProcess = createBerthProcess(program, env, written);
  return async (args: readonly string[], given: Given = {}): Promise<Ran> => {
    if (given.isTyped ?? given.readsOnce ?? given.onOutput) return asProcess(args, given);
    const ran = await runHere(args, { env: { LANG: 'C', ...env }, input: given.input ?? '', isTerminal: false });
    written.push(ran.out, ran.err);
    return ran;
  };
};
