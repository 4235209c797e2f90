import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type GuardedGroup, startProcessGuard } from './process-guard.ts';
import { startTimeOf } from './start-time-of.ts';

const guardModule = fileURLToPath(new URL('./process-guard.ts', import.meta.url));

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) quietly(() => process.kill(-pid, 'SIGKILL'));
});

describe('process guard', () => {
  test('ends a whole process group when its parent is killed with SIGKILL', async () => {
    const { parent, pids } = await parentOf('sleep 60 & sleep 60', {});

    parent.kill('SIGKILL');

    await groupIsGone(pids.child);
    await isGone(pids.guard);
    expect(isAlive(pids.child)).toBe(false);
  });

  test('ends processes that its killed parent had started but not registered', async () => {
    const { parent, pids } = await parentOf('sleep 60 & sleep 60', null);

    parent.kill('SIGKILL');

    await groupIsGone(pids.child);
    expect(isAlive(pids.child)).toBe(false);
  });

  test('kills a group that ignores SIGTERM three seconds after its parent died', async () => {
    const { parent, pids } = await parentOf('trap "" TERM; exec sleep 60', {});
    // The process changes its name once its trap is set.
    await until(() => commandOf(pids.child) === 'sleep');

    const killedAt = performance.now();
    parent.kill('SIGKILL');

    await groupIsGone(pids.child);
    // Timers are early by a millisecond at most.
    expect(performance.now() - killedAt).toBeGreaterThan(2_990);
  });

  test('ends a process group at its deadline while the parent is stopped', async () => {
    const { parent, pids } = await parentOf('sleep 60 & sleep 60', { deadlineMs: 4_000 });

    parent.kill('SIGSTOP');
    expect(isAlive(pids.child)).toBe(true);

    // A stopped parent cannot reap, so the leader remains as a zombie; its children end.
    await until(() => isZombieOrGone(pids.child));
    parent.kill('SIGKILL');
    await isGone(pids.guard);
  });

  test('moves the deadline when the same process is registered again', async () => {
    const guard = startProcessGuard();
    const child = inOwnGroup('sleep 60');
    const exited = once(child, 'exit');
    const registeredAt = performance.now();
    guard.register(pidOf(child), { deadlineMs: 300 });
    guard.register(pidOf(child), { deadlineMs: 1_200 });

    await exited;
    // The clock of the machine advances in steps of 10 ms.
    expect(performance.now() - registeredAt).toBeGreaterThan(1_180);
    expect(child.signalCode).toBe('SIGTERM');
    await guard.close();
  });

  test('leaves a released group alone', async () => {
    const guard = startProcessGuard();
    const child = inOwnGroup('sleep 60');
    guard.register(pidOf(child), { deadlineMs: 300 });
    guard.release(pidOf(child));

    await delay(600);
    await guard.close();

    expect(child.exitCode ?? child.signalCode).toBe(null);
  });

  test.skipIf(startTimeOf(process.pid) === undefined)('ignores a process with a reused id', async () => {
    const stranger = inOwnGroup('sleep 60');
    const guard = spawn(process.execPath, [fileURLToPath(new URL('./process-guard-main.ts', import.meta.url))], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });

    guard.stdin.end(`register ${stranger.pid} 1 SIGTERM -\n`);
    await once(guard, 'exit');

    expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  });

  test('ends registered groups when it is closed', async () => {
    const guard = startProcessGuard();
    const child = inOwnGroup('sleep 60');
    const exited = once(child, 'exit');
    guard.register(pidOf(child));

    await guard.close();
    await exited;

    expect(child.signalCode).toBe('SIGTERM');
  });

  test('refuses registrations once it has ended', async () => {
    const guard = startProcessGuard();
    await guard.close();

    expect(() => guard.register(process.pid)).toThrow('process guard is gone');
  });
});

/** A parent process that starts `script` under a guard in a separate group; its output contains both process ids. */
async function parentOf(script: string, group: GuardedGroup | null) {
  const source = `
    import { spawn } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    import { startProcessGuard } from ${JSON.stringify(guardModule)};
    const guard = startProcessGuard();
    const child = spawn('/bin/sh', ['-c', ${JSON.stringify(script)}], { detached: true, stdio: 'ignore', env: { ...process.env, ...guard.environment } });
    ${group === null ? '' : `guard.register(child.pid, ${JSON.stringify(group)});`}
    const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').map(Number);
    console.log(JSON.stringify({ child: child.pid, guard: children.find((pid) => pid !== child.pid) }));
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: parent.stdout })) {
    const pids: { child: number; guard: number } = JSON.parse(line);
    started.push(pids.child);
    return { parent, pids };
  }
  throw new Error('the parent ended before its first output');
}

function inOwnGroup(script: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  started.push(pidOf(child));
  return child;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process did not start');
  return pid;
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** On Linux the state follows the name in /proc; on other systems a zombie counts as alive. */
function isZombie(pid: number): boolean {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).startsWith('Z') ?? false;
}

const isAlive = (pid: number) => quietly(() => process.kill(pid, 0)) ?? false;
const isZombieOrGone = (pid: number) => !isAlive(pid) || !quietly(() => process.kill(-pid, 0)) || isZombie(pid);
const isGone = (pid: number) => until(() => !isAlive(pid));
const groupIsGone = (pid: number) => until(() => !quietly(() => process.kill(-pid, 0)));
const commandOf = (pid: number) => quietly(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());

const until = (fact: () => boolean): Promise<void> => expect.poll(fact, { interval: 20 }).toBe(true);
