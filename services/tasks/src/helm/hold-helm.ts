import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ProcessGuard } from '@berth/shared/process-guard/process-guard';
import { memoryForHelm } from './memory-for-helm.ts';
import { splitLines } from './split-lines.ts';

export interface HelmRun {
  binary: string;
  /** Never a secret: arguments and environment of a process can be read by others. */
  args: readonly string[];
  /** Home and working folder; private to this run. */
  folder: string;
  /** Discovery cache shared by all runs against one cluster. */
  discoveryCache: string;
  guard: ProcessGuard;
  onLine: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface HelmExit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Helm just before its first instruction. Disposed of without a start, it never runs. */
export interface HeldHelm extends Disposable {
  /** The guard ends Helm after this time unless `extend` moves it, even while this process is paused. */
  start(deadlineMs: number): HelmProcess;
}

export interface HelmProcess {
  readonly pid: number;
  readonly exited: Promise<HelmExit>;
  /** SIGTERM, on which Helm records the release as failed; SIGKILL after the grace period. A second call may shorten it. */
  stop(graceMs: number): void;
  extend(deadlineMs: number): void;
}

/**
 * The shell becomes Helm when it reads a line, and ends when there is none to come. So there is no moment in which Helm
 * runs and the guard does not know of it: were this process killed between the two, nothing would ever end Helm.
 */
const whenTold = 'read -r _ && exec "$0" "$@" </dev/null';

/**
 * Helm lives for seconds: collecting its garbage less often saves a fifth of its work for 10 MB more. Near the memory
 * that a runner reckons with for one Helm it is collected as usual.
 */
const fewerCollections = { GOGC: '400', GOMEMLIMIT: String(memoryForHelm) };

/**
 * Makes the process that becomes Helm, in a group of its own, with nothing of our environment. To make one takes some
 * milliseconds, in which nobody has to wait for anything else.
 */
export function holdHelm({ binary, args, folder, discoveryCache, guard, onLine }: HelmRun): HeldHelm {
  const child = spawn('/bin/sh', ['-c', whenTold, binary, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...guard.environment,
      HOME: folder,
      HELM_PLUGINS: `${folder}/plugins`,
      HELM_CACHE_HOME: `${folder}/cache`,
      HELM_CONFIG_HOME: `${folder}/config`,
      HELM_DATA_HOME: `${folder}/data`,
      HELM_BURST_LIMIT: '200',
      HELM_QPS: '100',
      KUBECACHEDIR: discoveryCache,
      ...fewerCollections,
    },
  });
  const exited = exitOf(child);
  // It may fail before anybody waits for it.
  exited.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  splitLines(child.stdout, (line) => onLine('stdout', line));
  splitLines(child.stderr, (line) => onLine('stderr', line));

  return {
    start: (deadlineMs) => startHelm(child, { exited, guard, deadlineMs }),
    // Without a line the shell ends by itself.
    [Symbol.dispose]: () => void child.stdin.end(),
  };
}

interface Start {
  exited: Promise<HelmExit>;
  guard: ProcessGuard;
  deadlineMs: number;
}

function startHelm({ pid, stdin }: ChildProcessWithoutNullStreams, { exited, guard, deadlineMs }: Start): HelmProcess {
  if (pid === undefined) return { pid: -1, exited, stop: () => undefined, extend: () => undefined };
  guard.register(pid, { deadlineMs });
  stdin.end('go\n');

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
