import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const sampleMs = 1_000;
const quietSamples = 2;
const quietShare = 0.2;
/** The longest wait in seconds, because a shared machine may never become idle. */
const patienceMs = Number(process.env['BENCH_PATIENCE'] ?? 60) * 1_000;

interface Spent {
  busy: number;
  all: number;
}

function spent(): Spent {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0);
  return { busy: all - idle, all };
}

/** Waits until the machine is idle, so that earlier work is not measured; reports if it does not become idle. */
export async function untilQuiet(say: (line: string) => void): Promise<void> {
  const end = performance.now() + patienceMs;
  let quiet = 0;
  let share = 1;
  for (let before = spent(); quiet < quietSamples && performance.now() < end; ) {
    await delay(sampleMs);
    const now = spent();
    share = (now.busy - before.busy) / Math.max(1, now.all - before.all);
    quiet = share < quietShare ? quiet + 1 : 0;
    before = now;
  }
  if (quiet < quietSamples) say(`    the machine did not get quiet: ${Math.round(share * 100)} % of it was busy`);
}
