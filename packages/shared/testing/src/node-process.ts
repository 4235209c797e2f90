import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileCache } from './compile-cache.ts';
import { programFile } from './program-file.ts';
import { ServerUnavailable } from './network/server-unavailable.ts';

export interface NodeProcess extends AsyncDisposable {
  readonly pid: number;
  /** The output so far. */
  output(): string;
  /** Returns its exit code; null if the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends the process and throws if it exits before it is ready, or takes too long. */
  untilReady(what: string, isReady: () => boolean | Promise<boolean>): Promise<void>;
}

/** Its stdin closes whenever the parent ends, so a killed test leaves no service behind. */
const endsWithTest = `data:text/javascript,${encodeURIComponent(
  `process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume().unref();`,
)}`;

/** Long, because a busy machine starts processes slowly. */
const readyWithinMs = 120_000;

/** A program of Berth in a separate process, as in production, without the test's environment. */
export function startNode(
  [program, ...args]: readonly [string, ...string[]],
  settings: Record<string, string | undefined>,
): NodeProcess {
  const env = { ...compileCache(), ...settings };
  const child = spawn(process.execPath, ['--import', endsWithTest, programFile(program), ...args], {
    env,
    stdio: 'pipe',
  });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  const kill = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!hasEnded()) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    pid: child.pid ?? Number.NaN,
    output: () => output,
    kill,
    async untilReady(what, isReady) {
      const end = performance.now() + readyWithinMs;
      while (!(await isReady())) {
        if (hasEnded() || performance.now() > end) {
          await kill('SIGKILL');
          throw new ServerUnavailable(`${what} did not become ready:\n${output.slice(-4_000)}`);
        }
        await sleep(50);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}
