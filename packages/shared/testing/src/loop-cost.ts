import { cpuMsSince } from './cpu-ms-since.ts';

/** The cost of a piece of work for the loop that runs it. */
export interface LoopCost<T> {
  result: T;
  /** The most CPU time of this thread between two turns, which does not depend on load. */
  longestTurnMs: number;
  /** The most heap in use at the end of a turn, beyond that of before. */
  mostHeapMb: number;
}

export async function loopCost<T>(work: () => Promise<T> | T): Promise<LoopCost<T>> {
  const heapBefore = process.memoryUsage().heapUsed;
  let longestTurnMs = 0;
  let mostHeap = 0;
  let before = process.threadCpuUsage();
  const measure = () => {
    longestTurnMs = Math.max(longestTurnMs, cpuMsSince(before));
    mostHeap = Math.max(mostHeap, process.memoryUsage().heapUsed - heapBefore);
    before = process.threadCpuUsage();
    next = setImmediate(measure);
  };
  let next = setImmediate(measure);
  try {
    const result = await work();
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    return { result, longestTurnMs, mostHeapMb: mostHeap / 1024 / 1024 };
  } finally {
    clearImmediate(next);
  }
}
