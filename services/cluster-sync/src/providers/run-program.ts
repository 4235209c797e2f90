import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { giveWay, withLimits } from '@berth/process-guard/process-limits';
import { NoCredential } from '@berth/kube/kube-error';

export interface ProgramRun {
  /** An absolute path, which is run without a shell. */
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment. The environment of this process contains passwords and is not passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly maxBytes: number;
}

/** A program that runs on Node counts 560 MiB more than it uses. */
const limits = { memoryBytes: 1024 * 1024 * 1024, cpuSecs: 30 };

/**
 * Runs a program in its own process group, which is killed when the program ends, at the deadline, or when the signal aborts.
 * Returns its output, which may be a secret, so errors never contain it.
 */
export async function runProgram(run: ProgramRun, signal: AbortSignal): Promise<string> {
  await access(run.command, constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new NoCredential(`${run.command} cannot be started (${error.code})`);
  });
  return outputOf(run, signal);
}

function outputOf({ command, args, env, deadlineMs, maxBytes }: ProgramRun, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(...withLimits(limits, [command, ...args]), {
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (child.pid !== undefined) giveWay(child.pid);
    const chunks: Buffer[] = [];
    let size = 0;

    const end = (failure: string | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      killGroup(child.pid);
      // A process that left the group may keep the pipe open.
      child.stdout.destroy();
      if (failure === null) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new NoCredential(`${command} ${failure}`));
    };
    const timer = setTimeout(() => end(`did not end within ${deadlineMs / 1_000} s`), deadlineMs);
    const abort = (): void => end('was stopped');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();

    child.on('error', (error: NodeJS.ErrnoException) => end(`cannot be started (${error.code})`));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(`printed more than ${maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.on('close', (code, ended) => end(code === 0 ? null : `failed (exit code ${code ?? ended})`));
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
