import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { ProcessGuard } from '@berth/process-guard/process-guard';
import { cpuSecsOf } from '@berth/process-guard/process-limits';
import type { HelmLimits } from './helm-limits.ts';

export interface HelmExit {
  /** Null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** True if it was ended for exceeding its processor time. */
  wasBusyTooLong: boolean;
}

type Exit = Omit<HelmExit, 'wasBusyTooLong'>;

export interface HelmProcess {
  readonly pid: number;
  readonly limits: HelmLimits;
  readonly exited: Promise<HelmExit>;
  /** Why its manifests were refused; undefined if they were not. */
  refusal(): unknown;
  /** SIGTERM, at which Helm records the release as failed, then SIGKILL after the grace period. A second call may shorten it. */
  stop(graceMs: number): void;
  extend(deadlineMs: number): void;
}

interface Supervision extends Pick<HelmProcess, 'refusal'> {
  deadlineMs: number;
  limits: HelmLimits;
  exited: Promise<Exit>;
  guard: ProcessGuard;
  /** Input of the shell. */
  lines: string;
}

/** Starts Helm in its shell, under the guard. */
export function superviseHelm(child: ChildProcessWithoutNullStreams, supervision: Supervision): HelmProcess {
  const { pid, stdin } = child;
  const { exited, guard, lines, deadlineMs, limits, refusal } = supervision;
  if (pid === undefined) {
    const never = exited.then((exit) => ({ ...exit, wasBusyTooLong: false }));
    return { pid: -1, limits, refusal, exited: never, stop: () => undefined, extend: () => undefined };
  }
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
  const stop = (graceMs: number): void => {
    if (!running) return;
    if (killAt === Number.POSITIVE_INFINITY) killGroup(pid, 'SIGTERM');
    if (performance.now() + graceMs >= killAt) return;
    killAt = performance.now() + graceMs;
    clearTimeout(killTimer);
    killTimer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
  };
  const cpu = watchCpu(pid, limits.cpuSecs, () => stop(busyGraceMs));
  const ended = exited.finally(() => {
    running = false;
    clearTimeout(killTimer);
    cpu[Symbol.dispose]();
    guard.release(pid);
  });

  return {
    pid,
    limits,
    refusal,
    exited: ended.then((exit) => ({ ...exit, wasBusyTooLong: cpu.isOver() })),
    // Never signal after its end: the process id may have been reused.
    extend: (ms) => {
      if (!running || guard.failure.aborted) return;
      guard.register(pid, { deadlineMs: ms });
    },
    stop,
  };
}

/** Grace period of a busy Helm, which ignores signals while it renders. */
const busyGraceMs = 1_000;
const cpuCheckMs = 500;

/**
 * Ends a process that has used up its processor time, a moment before the kernel does. The kernel does not report why it ended
 * a process; its limit is the fallback if the runner itself is held up.
 */
function watchCpu(pid: number, cpuSecs: number, onExcess: () => void): Disposable & { isOver(): boolean } {
  let isOver = false;
  const check = () => {
    isOver = (cpuSecsOf(pid) ?? 0) >= cpuSecs;
    if (isOver) onExcess();
    else timer = setTimeout(check, cpuCheckMs);
  };
  let timer = setTimeout(check, cpuCheckMs);
  return { isOver: () => isOver, [Symbol.dispose]: () => clearTimeout(timer) };
}

const outputAfterExitMs = 2_000;

/**
 * At `close`, not `exit`: a process may exit before its last output is read. Its children may keep the pipes open for ever,
 * so the pipes are closed soon after.
 */
export const exitOf = (child: ChildProcess): Promise<Exit> =>
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
