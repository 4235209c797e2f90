const shortestMs = 5_000;
const longestMs = 300_000;

/** Pause before the next attempt, doubled with each that failed; `spread` in 0–1 keeps tasks that failed together apart. */
export function retryDelayMs(attempts: number, spread: number): number {
  const doubled = shortestMs * 2 ** Math.max(0, attempts - 1);
  return Math.round(Math.min(longestMs, doubled * (1 + spread / 2)));
}
