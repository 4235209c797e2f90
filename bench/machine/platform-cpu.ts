import { readFile } from 'node:fs/promises';
import { cpuSecondsOf, treeOf } from './process-usage.ts';

/** Seconds of CPU so far, by kind of process. */
export type PlatformCpu = ReadonlyMap<string, number>;

const serviceOf = /services\/([\w-]+)\/src\/(?:(\w+)-)?main\.ts/;
const roleOf = /^postgres: (\w+) /;

async function kindOf(pid: number): Promise<string> {
  if (pid === process.pid) return 'load';
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  const [, service, part = service] = serviceOf.exec(command) ?? [];
  if (part !== undefined) return part;
  const [, role] = roleOf.exec(command) ?? [];
  if (role !== undefined) return `postgres of ${role}`;
  return command.includes('nats-server') ? 'nats' : 'others';
}

/** The CPU time of this process and its descendants. */
export async function platformCpu(): Promise<PlatformCpu> {
  const seconds = new Map<string, number>();
  for (const pid of await treeOf(process.pid)) {
    const kind = await kindOf(pid);
    // A process for a connection or a check may have ended meanwhile.
    seconds.set(kind, (seconds.get(kind) ?? 0) + (await cpuSecondsOf(pid).catch(() => 0)));
  }
  return seconds;
}

const leastShown = 0.05;

/** Milliseconds of CPU per request, largest first. Other load of the machine hardly affects them. */
export function cpuOfEach(requests: number, before: PlatformCpu, after: PlatformCpu): string {
  const spent = [...after]
    .map(([kind, seconds]) => ({ kind, ms: ((seconds - (before.get(kind) ?? 0)) * 1_000) / requests }))
    .toSorted((a, b) => b.ms - a.ms);
  const all = spent.reduce((sum, { ms }) => sum + ms, 0);
  const shown = spent.filter(({ ms }) => ms >= leastShown).map(({ kind, ms }) => `${kind} ${ms.toFixed(2)}`);
  return `${all.toFixed(2)} ms: ${shown.join(', ')}`;
}
