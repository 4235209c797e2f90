import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; ends early, and without an error, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
