import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileOf } from './start-clusters.ts';

export interface ClusterSync extends AsyncDisposable {
  /** Resident memory in MiB, now and at most so far. */
  memory(): Promise<{ now: number; most: number }>;
  /** CPU time so far, in seconds. */
  cpu(): Promise<number>;
  /** Throws where it has ended. */
  check(): void;
  /** Lines of its log that say that a query had no connection. */
  starved(): number;
}

/** The service as in production, in a process of its own. */
export function startClusterSync(env: Readonly<Record<string, string>>, flags: readonly string[]): ClusterSync {
  const child = spawn(process.execPath, [...flags, fileOf('../../services/cluster-sync/src/main.ts')], {
    env: { ...process.env, ...env, LOG_LEVEL: 'warn' },
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
