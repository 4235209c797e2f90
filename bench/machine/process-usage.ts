import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const kibPerMib = 1_024;
const ticksPerSecond = 100;
const sampleMs = 200;

/** Resident memory in MiB, now and at its peak. */
export async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / kibPerMib;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** Seconds of CPU that the process has used so far. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // utime and stime are fields 14 and 15; the program name before them may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * The peak of the processes' total memory in MiB while `work` runs, by sampling. A page that several processes share counts in
 * part for each (proportional set size).
 */
export async function peakMemory<T>(
  pids: () => Promise<readonly number[]>,
  work: () => Promise<T>,
): Promise<{ result: T; peak: number }> {
  const over = new AbortController();
  let peak = 0;
  const sampling = (async () => {
    while (!over.signal.aborted) {
      const sizes = await Promise.all((await pids()).map(proportionalMemory));
      peak = Math.max(
        peak,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      await delay(sampleMs);
    }
  })();
  const result = await work().finally(() => over.abort());
  await sampling;
  return { result, peak };
}

/** Processes may end while they are read. */
async function proportionalMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / kibPerMib;
}

/** A process and all its descendants. */
export async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      const parent = Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    }),
  );
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}
