import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { machineMs } from './machine-clock.ts';
import { guardMark } from './marked-groups.ts';
import { startTimeOf } from './start-time-of.ts';

export interface GuardedGroup {
  /** The guard ends the group after this many milliseconds, whatever state the parent is in. */
  deadlineMs?: number;
  /** The signal that ends the group. Postgres, for example, treats SIGTERM as "when all clients have disconnected". */
  stopSignal?: 'SIGTERM' | 'SIGINT';
}

/** Ends process groups when their parent dies, even by SIGKILL, or when their deadline passes. */
export interface ProcessGuard {
  /** `pid` must lead its process group (`detached: true`). Registering it again moves its deadline. */
  register(pid: number, group?: GuardedGroup): void;
  release(pid: number): void;
  /** Must be in the environment of every registered process; by it, the guard finds unregistered ones. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts with `ProcessGuardEnded` as its reason if the guard ends unexpectedly: running processes are then unguarded. */
  readonly failure: AbortSignal;
  /** Ends all registered groups, then the guard itself. */
  close(): Promise<void>;
}

/** New processes could outlive their parent, so the service must stop and start again. */
class ProcessGuardEnded extends Error {
  override readonly name = 'ProcessGuardEnded';
}

const guardMain = fileURLToPath(new URL('./process-guard-main.ts', import.meta.url));

/** Starts the guard: a small process that watches a pipe from this one. */
export function startProcessGuard(): ProcessGuard {
  // In a separate session, so that a Ctrl-C for the parent does not end the guard first.
  const mark = randomUUID();
  const guard = spawn(process.execPath, ['--max-old-space-size=16', '--max-semi-space-size=1', guardMain, mark], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  const failure = new AbortController();
  let closing = false;
  const ended = once(guard, 'exit')
    .catch(() => undefined)
    .finally(() => {
      if (!closing) failure.abort(new ProcessGuardEnded('the process guard ended by itself'));
    });
  guard.stdin.on('error', () => undefined);
  guard.unref();
  // The pipe to a child process is a socket, which would keep this process running.
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();

  const send = (...words: (string | number)[]) => guard.stdin.write(`${words.join(' ')}\n`);

  return {
    environment: { [guardMark]: mark },
    failure: failure.signal,
    register(pid, { deadlineMs, stopSignal = 'SIGTERM' } = {}) {
      if (guard.exitCode !== null || guard.signalCode !== null || guard.pid === undefined) {
        throw new ProcessGuardEnded('the process guard is gone: a process started now could outlive its parent');
      }
      const deadline = deadlineMs === undefined ? '-' : Math.round(machineMs() + Math.max(0, deadlineMs));
      send('register', pid, startTimeOf(pid) ?? '-', stopSignal, deadline);
    },
    release(pid) {
      if (guard.stdin.writable) send('release', pid);
    },
    async close() {
      closing = true;
      guard.ref();
      guard.stdin.end();
      await ended;
    },
  };
}
