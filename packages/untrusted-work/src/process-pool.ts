import { startWorkProcess, type WorkProcess, type WorkProcessOptions } from './work-process.ts';

/** A pool of processes, started when they are needed and ended when they are idle. */
export interface ProcessPool extends AsyncDisposable {
  /** Throws when the signal aborts. */
  take(signal: AbortSignal): Promise<WorkProcess>;
  /** Takes the process back, to be used again, or ends it. */
  giveBack(process: WorkProcess): void;
  /** Ends the process. */
  drop(process: WorkProcess): Promise<void>;
}

const idleMs = 60_000;

export function createProcessPool(options: WorkProcessOptions): ProcessPool {
  const idle = new Map<WorkProcess, NodeJS.Timeout>();
  const all = new Set<WorkProcess>();
  let isClosed = false;

  function takeIdle(): WorkProcess | undefined {
    const [found] = [...idle].findLast(([process]) => process.isAlive()) ?? [];
    if (!found) return undefined;
    clearTimeout(idle.get(found));
    idle.delete(found);
    return found;
  }

  async function start(signal: AbortSignal): Promise<WorkProcess> {
    const started = await startWorkProcess(options, signal);
    all.add(started);
    if (isClosed) await drop(started);
    return started;
  }

  async function drop(process: WorkProcess): Promise<void> {
    clearTimeout(idle.get(process));
    idle.delete(process);
    all.delete(process);
    await process.kill();
  }

  return {
    take: async (signal) => takeIdle() ?? (await start(signal)),
    giveBack(process) {
      process.unref();
      if (process.isSpent()) void drop(process);
      else idle.set(process, setTimeout(() => void drop(process), idleMs).unref());
    },
    drop,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...all].map(drop));
    },
  };
}
