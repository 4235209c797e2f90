import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ProcessGuard } from '@berth/process-guard/process-guard';
import { memoryForHelm } from './memory-for-helm.ts';
import { splitLines } from './split-lines.ts';

interface HelmRun {
  /** Never a secret: other users can read a process's arguments. No line breaks. */
  args: readonly string[];
  /** Home and working directory; private to this run. */
  folder: string;
  /** Discovery cache shared by all runs against one cluster. */
  discoveryCache: string;
  /** The guard ends Helm after this time unless `extend` moves it, even while this process is paused. */
  deadlineMs: number;
  onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Receives raw standard output if that is not a log; `onLine` gets the rest. */
  onOutput?: (chunk: Buffer) => void;
}

export interface HelmExit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface HelmProcess {
  readonly pid: number;
  readonly exited: Promise<HelmExit>;
  /** SIGTERM, at which Helm records the release as failed, then SIGKILL after the grace period. A second call may shorten it. */
  stop(graceMs: number): void;
  extend(deadlineMs: number): void;
}

export interface HelmStarter extends Disposable {
  /** Starts Helm in a process group of its own, without the runner's environment. */
  start(run: HelmRun): HelmProcess;
}

/**
 * The shell reads what to run and becomes Helm at `go`; at end of input it exits. So the guard knows the process before Helm
 * runs in it: if the runner were killed between start and registration, nothing would ever end Helm.
 */
const becomeHelm = `
while IFS= read -r line; do
  case "$line" in
    'cd '*) cd "\${line#cd }" || exit 126 ;;
    'env '*) export "\${line#env }" ;;
    'arg '*) set -- "$@" "\${line#arg }" ;;
    go) exec "$@" </dev/null ;;
  esac
done`;

/**
 * Helm lives for seconds: fewer garbage collections save a fifth of its work for 10 MB more. Near the memory that a runner
 * reserves for one Helm, it collects as usual.
 */
const fewerCollections = { GOGC: '400', GOMEMLIMIT: String(memoryForHelm) };

/**
 * Keeps a spare shell ready. Without it: each task waits some milliseconds while a process as large as this one forks.
 */
export function createHelmStarter({ binary, guard }: { binary: string; guard: ProcessGuard }): HelmStarter {
  let closed = false;
  let spare: ChildProcessWithoutNullStreams | undefined = newShell(guard);

  function take(): ChildProcessWithoutNullStreams {
    const taken = spare && isAlive(spare) ? spare : newShell(guard);
    spare = undefined;
    setImmediate(() => {
      if (!closed && !guard.failure.aborted) spare ??= newShell(guard);
    });
    return taken;
  }

  return {
    start(run) {
      const lines = shellInput(binary, run);
      const child = take();
      const exited = exitOf(child);
      if (run.onOutput) child.stdout.on('data', run.onOutput).on('error', () => undefined);
      else splitLines(child.stdout, (line) => run.onLine('stdout', line));
      splitLines(child.stderr, (line) => run.onLine('stderr', line));
      return supervised(child, { exited, guard, lines, deadlineMs: run.deadlineMs });
    },
    [Symbol.dispose]() {
      closed = true;
      spare?.stdin.end();
    },
  };
}

function newShell(guard: ProcessGuard): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', becomeHelm], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...guard.environment },
  });
  // Reported by `exitOf`, too.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return child;
}

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

function shellInput(binary: string, { args, folder, discoveryCache }: HelmRun): string {
  const environment = {
    HOME: folder,
    HELM_PLUGINS: `${folder}/plugins`,
    HELM_CACHE_HOME: `${folder}/cache`,
    HELM_CONFIG_HOME: `${folder}/config`,
    HELM_DATA_HOME: `${folder}/data`,
    HELM_BURST_LIMIT: '200',
    HELM_QPS: '100',
    KUBECACHEDIR: discoveryCache,
    ...fewerCollections,
  };
  const lines = [
    `cd ${folder}`,
    ...Object.entries(environment).map(([name, value]) => `env ${name}=${value}`),
    ...[binary, ...args].map((arg) => `arg ${arg}`),
    'go',
  ];
  if (lines.some((line) => /[\n\0]/.test(line))) throw new Error('an argument of Helm contains a line break');
  return `${lines.join('\n')}\n`;
}

interface Supervision {
  exited: Promise<HelmExit>;
  guard: ProcessGuard;
  /** Input of the shell. */
  lines: string;
  deadlineMs: number;
}

function supervised(child: ChildProcessWithoutNullStreams, supervision: Supervision): HelmProcess {
  const { pid, stdin } = child;
  const { exited, guard, lines, deadlineMs } = supervision;
  if (pid === undefined) return { pid: -1, exited, stop: () => undefined, extend: () => undefined };
  try {
    guard.register(pid, { deadlineMs });
    stdin.end(lines);
  } catch (error) {
    // Without input the shell exits.
    stdin.end();
    exited.catch(() => undefined);
    throw error;
  }

  let killTimer: NodeJS.Timeout | undefined;
  let killAt = Number.POSITIVE_INFINITY;
  let running = true;
  const ended = exited.finally(() => {
    running = false;
    clearTimeout(killTimer);
    guard.release(pid);
  });

  return {
    pid,
    exited: ended,
    // Not after its end: the process id may have been reused.
    extend: (ms) => {
      if (!running || guard.failure.aborted) return;
      guard.register(pid, { deadlineMs: ms });
    },
    stop: (graceMs) => {
      if (!running) return;
      if (killAt === Number.POSITIVE_INFINITY) killGroup(pid, 'SIGTERM');
      if (performance.now() + graceMs >= killAt) return;
      killAt = performance.now() + graceMs;
      clearTimeout(killTimer);
      killTimer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
    },
  };
}

const outputAfterExitMs = 2_000;

/**
 * At `close`, not `exit`: a process may exit before its last output is read. Its children may keep the pipes open for ever,
 * so the pipes are closed soon after.
 */
const exitOf = (child: ChildProcess): Promise<HelmExit> =>
  new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    child.once('error', reject);
    child.once('exit', () => {
      late = setTimeout(() => {
        if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, outputAfterExitMs);
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal });
    });
  });

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}
