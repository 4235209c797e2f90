import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ProcessGuard } from '@berth/process-guard/process-guard';
import { memoryForHelm } from './memory-for-helm.ts';
import { splitLines } from './split-lines.ts';

export interface HelmRun {
  /** Never a secret: arguments and environment of a process can be read by others. No line breaks. */
  args: readonly string[];
  /** Home and working folder; private to this run. */
  folder: string;
  /** Discovery cache shared by all runs against one cluster. */
  discoveryCache: string;
  /** The guard ends Helm after this time unless `extend` moves it, even while this process is paused. */
  deadlineMs: number;
  onLine: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface HelmExit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface HelmProcess {
  readonly pid: number;
  readonly exited: Promise<HelmExit>;
  /** SIGTERM, on which Helm records the release as failed; SIGKILL after the grace period. A second call may shorten it. */
  stop(graceMs: number): void;
  extend(deadlineMs: number): void;
}

export interface HelmStarter extends Disposable {
  /** Starts Helm in a process group of its own, with nothing of our environment. */
  start(run: HelmRun): HelmProcess;
}

/**
 * The shell becomes Helm when it is told to, and ends when there is nothing more to come. So there is no moment in which
 * Helm runs and the guard does not know of it: were this process killed between the two, nothing would ever end Helm.
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
 * Helm lives for seconds: collecting its garbage less often saves a fifth of its work for 10 MB more. Near the memory
 * that a runner reckons with for one Helm it is collected as usual.
 */
const fewerCollections = { GOGC: '400', GOMEMLIMIT: String(memoryForHelm) };

/**
 * Keeps one process ready that has only to be told what to run. A process as large as this one needs some milliseconds
 * to make another, in which it does nothing else; they are spent when nobody waits for them.
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
      const lines = told(binary, run);
      const child = take();
      const exited = exitOf(child);
      splitLines(child.stdout, (line) => run.onLine('stdout', line));
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
  // Told again to whoever waits for its end.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return child;
}

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

function told(binary: string, { args, folder, discoveryCache }: HelmRun): string {
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
  if (lines.some((line) => /[\n\0]/.test(line))) throw new Error('an argument of Helm has a line break');
  return `${lines.join('\n')}\n`;
}

interface Supervision {
  exited: Promise<HelmExit>;
  guard: ProcessGuard;
  /** What the shell is to become. */
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
    // Untold, the shell ends by itself.
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
    // Not after its end: the number may belong to another process by then.
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

const lastWordsMs = 2_000;

/**
 * `close`, not `exit`: the last lines of its output are still under way when a process exits. What it started may keep
 * the pipes open for ever, so they are closed soon after.
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
      }, lastWordsMs);
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
    // Gone already, which is what was wanted.
  }
}
