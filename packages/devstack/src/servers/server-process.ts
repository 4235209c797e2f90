import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessGuard } from '@berth/process-guard/process-guard';
import { ServerFailed } from './server-failed.ts';
import { lastLinesOf, openServerLog } from './server-log.ts';

/** A server of the local stack. */
export interface RunningServer {
  readonly name: string;
  readonly pid: number;
  /** Resolves to a message for the user if the server ends unexpectedly; otherwise it stays pending. */
  readonly died: Promise<Error>;
  stop(): Promise<void>;
  /** Ends it like a crash, without resolving `died`. */
  kill(): Promise<void>;
}

/** The common parameters for starting a server. */
export interface ServerStart {
  /** Folder for all state; each server has a subfolder. */
  readonly stateFolder: string;
  /** Ends the server if this process dies. */
  readonly guard: ProcessGuard;
  /** Gives up waiting for the server to become ready, and stops it. */
  readonly signal: AbortSignal;
}

export interface ServerCommand {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly logFile: string;
  readonly guard: ProcessGuard;
  readonly signal: AbortSignal;
  /** Throws or returns false while the server is not ready. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
  readonly readyWithinMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid?: number; readonly gid?: number };
  readonly stopSignal?: 'SIGTERM' | 'SIGINT';
  readonly stopWithinMs?: number;
}

const POLL_MS = 25;
const PROBE_MS = 2_000;
// Servers get none of our environment variables, which may be secrets or change their settings.
const PLAIN_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Starts a server in a separate process group and waits until it is ready. */
export async function startServerProcess(server: ServerCommand): Promise<RunningServer> {
  const child = await spawnServer(server);
  const { pid } = child;
  if (pid === undefined) throw new ServerFailed(`${server.name} does not start: ${server.command[0]} cannot be run`);

  let isStopping = false;
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const { promise: died, resolve: resolveDied } = Promise.withResolvers<Error>();
  const afterwards = async () => {
    await exited;
    server.guard.release(pid);
    if (!isStopping) resolveDied(await deathOf(server, child));
  };
  const ended = afterwards();

  const stop = async () => {
    isStopping = true;
    await stopGroup(pid, exited, server);
    await ended;
  };
  const kill = async () => {
    isStopping = true;
    process.kill(-pid, 'SIGKILL');
    await ended;
  };

  try {
    await untilReady(server, died);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: server.name, pid, died, stop, kill };
}

async function spawnServer(server: ServerCommand): Promise<ChildProcess> {
  const { command, logFile, env, user, guard, stopSignal } = server;
  const [program, ...args] = command;
  const log = await openServerLog(logFile);
  try {
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...PLAIN_ENVIRONMENT, ...guard.environment, ...env },
      ...user,
    });
    // Registered at once: if this process were killed first, the server would keep running unnoticed.
    if (child.pid !== undefined) guard.register(child.pid, { stopSignal: stopSignal ?? 'SIGTERM' });
    await Promise.race([once(child, 'spawn'), once(child, 'error')]).catch(() => undefined);
    return child;
  } finally {
    log.close();
  }
}

async function untilReady(
  { name, isReady, readyWithinMs = 30_000, signal, logFile }: ServerCommand,
  died: Promise<Error>,
) {
  const over = AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]);
  const death = died.then((error) => {
    throw error;
  });
  while (!(await Promise.race([probe(isReady, over), death]))) {
    if (over.aborted) {
      signal.throwIfAborted();
      throw new ServerFailed(`${name} is not ready after ${readyWithinMs / 1000} s.\n${await logNote(logFile)}`);
    }
    await delay(POLL_MS);
  }
}

async function probe(isReady: ServerCommand['isReady'], over: AbortSignal): Promise<boolean> {
  try {
    return await isReady(AbortSignal.any([over, AbortSignal.timeout(PROBE_MS)]));
  } catch {
    return false;
  }
}

async function stopGroup(pid: number, exited: Promise<void>, { stopSignal, stopWithinMs = 10_000 }: ServerCommand) {
  signalGroup(pid, stopSignal ?? 'SIGTERM');
  const patience = new AbortController();
  const inTime = await Promise.race([
    exited.then(() => true),
    delay(stopWithinMs, false, { signal: patience.signal }).catch(() => false),
  ]);
  patience.abort();
  if (!inTime) signalGroup(pid, 'SIGKILL');
  await exited;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left in the group.
  }
}

async function deathOf({ name, logFile }: ServerCommand, { exitCode, signalCode }: ChildProcess): Promise<Error> {
  return new ServerFailed(
    `${name} ended by itself with ${signalCode ?? `code ${exitCode}`}.\n${await logNote(logFile)}`,
  );
}

const logNote = async (logFile: string) => `The last lines of ${logFile}:\n${await lastLinesOf(logFile)}`;
