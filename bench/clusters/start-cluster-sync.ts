import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileOf } from './start-clusters.ts';

export interface ClusterSync extends AsyncDisposable {
  /** Resident memory in MiB, now and at its peak. */
  memory(): Promise<{ now: number; most: number }>;
  /** CPU time so far, in seconds. */
  cpu(): Promise<number>;
  /** Throws if it has ended. */
  check(): void;
  /** Log lines that say that a query got no connection. */
  starved(): number;
}

const main = fileOf('../../services/cluster-sync/src/main.ts');

/** The image's environment, besides Node's flags. */
const ofTheImage = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * The service as in production, in a separate process. An image has sources without types and loads no compiler; here, a compile
 * cache that a first start without a configuration fills has the same effect.
 */
export async function startClusterSync(
  env: Readonly<Record<string, string>>,
  { flags, cache }: { flags: readonly string[]; cache: string },
): Promise<ClusterSync> {
  const compiled = { NODE_COMPILE_CACHE: cache, ...ofTheImage };
  await once(spawn(process.execPath, [...flags, main], { env: compiled, stdio: 'ignore' }), 'exit');
  const child = spawn(process.execPath, [...flags, main], {
    env: { ...process.env, ...env, ...compiled, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let starved = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('no connection became free')) starved += 1;
    process.stderr.write(`${line.slice(0, 400)}\n`);
  });

  return {
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const field = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
      return { now: field('VmRSS'), most: field('VmHWM') };
    },
    async cpu() {
      const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    check() {
      if (child.exitCode !== null) throw new Error('cluster-sync has ended');
    },
    starved: () => starved,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
