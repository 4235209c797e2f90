import { cpuSecsOf } from '@berth/process-guard/process-limits';

/** Processor times are reported in steps of 10 ms. */
const leastMs = 20;

/** `too slow`: the job has used its processor time. `starved`: it did not get that much in a much longer time. */
export type Over = 'too slow' | 'starved';

/**
 * Limits the processor time of a job rather than its duration, so that a busy machine makes no healthy data too slow. Where the system
 * does not report processor times, the duration counts.
 */
export function startDeadline(
  pid: number,
  { withinMs, starvedAfterMs }: { withinMs: number; starvedAfterMs: number },
): Disposable & { readonly over: Promise<Over> } {
  const startedAt = performance.now();
  const usedBefore = cpuSecsOf(pid);
  const { promise: over, resolve } = Promise.withResolvers<Over>();
  let timer: NodeJS.Timeout | undefined;

  const elapsedMs = () => performance.now() - startedAt;
  const usedMs = () => (usedBefore === undefined ? elapsedMs() : ((cpuSecsOf(pid) ?? usedBefore) - usedBefore) * 1_000);

  function check(): void {
    const leftMs = withinMs - usedMs();
    if (leftMs <= 0) return resolve('too slow');
    if (elapsedMs() >= starvedAfterMs) return resolve('starved');
    timer = setTimeout(check, Math.max(leftMs, leastMs)).unref();
  }
  check();
  return { over, [Symbol.dispose]: () => clearTimeout(timer) };
}
