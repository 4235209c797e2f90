/**
 * The guard process: reads `register` and `release` lines from its parent; imports only Node. It outlives its parent to enforce
 * the deadlines of a stopped one, and learns from the end of the pipe that the parent is dead.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { machineMs } from './machine-clock.ts';
import { markedGroups } from './marked-groups.ts';
import { startTimeOf } from './start-time-of.ts';

const ORPHAN_GRACE_MS = 3_000;
const DEADLINE_GRACE_MS = 5_000;
const POLL_MS = 25;
/** Timers stop while the machine is suspended but deadlines do not, so the clock is checked at least this often. */
const LONGEST_TIMER_MS = 1_000;

interface Group {
  readonly pid: number;
  readonly startTime: string;
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
  timer?: NodeJS.Timeout;
  ending?: Promise<void>;
}

const groups = new Map<number, Group>();

// A signal for the parent often reaches the whole session, but the guard must end last.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid, startTime = '-', stopSignal, deadline] = line.split(' ');
  if (verb === 'register') register(Number(pid), startTime, stopSignal === 'SIGINT' ? 'SIGINT' : 'SIGTERM', deadline);
  if (verb === 'release') release(Number(pid));
}

// The parent may have died after starting a process and before registering it.
for (const pid of markedGroups(process.argv[2] ?? '')) {
  if (!groups.has(pid)) register(pid, '-', 'SIGTERM', undefined);
}
await Promise.all([...groups.values()].map((group) => end(group, ORPHAN_GRACE_MS)));
process.exit(0);

function register(pid: number, startTime: string, stopSignal: Group['stopSignal'], deadline: string | undefined): void {
  if (!Number.isInteger(pid) || pid <= 1) return;
  const known = groups.get(pid);
  const group = known?.startTime === startTime ? known : { pid, startTime, stopSignal };
  if (known && known !== group) clearTimeout(known.timer);
  groups.set(pid, group);
  setDeadline(group, Number(deadline));
}

function release(pid: number): void {
  clearTimeout(groups.get(pid)?.timer);
  groups.delete(pid);
}

function setDeadline(group: Group, deadline: number): void {
  clearTimeout(group.timer);
  if (Number.isNaN(deadline)) return;
  // A deadline in the past still uses a timer, because the next line may move it.
  group.timer = setTimeout(
    () => (machineMs() < deadline ? setDeadline(group, deadline) : void end(group, DEADLINE_GRACE_MS)),
    Math.min(Math.max(deadline - machineMs(), 0), LONGEST_TIMER_MS),
  );
}

/** Asks the group to end, and kills it after the grace period. Idempotent. */
function end(group: Group, graceMs: number): Promise<void> {
  group.ending ??= (async () => {
    signal(group, group.stopSignal);
    const giveUp = performance.now() + graceMs;
    while (performance.now() < giveUp && groups.get(group.pid) === group && signal(group, 0)) await delay(POLL_MS);
    if (groups.get(group.pid) === group) signal(group, 'SIGKILL');
  })();
  return group.ending;
}

/** Whether the group existed. */
function signal(group: Group, what: NodeJS.Signals | 0): boolean {
  const now = startTimeOf(group.pid);
  // The id was reused. (A missing leader is fine: the group may outlive it, and the kernel does not reuse the id of a living
  // group.)
  if (group.startTime !== '-' && now !== undefined && now !== group.startTime) return false;
  try {
    return process.kill(-group.pid, what);
  } catch {
    return false;
  }
}
