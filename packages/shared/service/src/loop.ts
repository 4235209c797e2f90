import { backOffMs } from '@berth/contracts/back-off';
import { pause } from './waiting/pause.ts';
import type { Loop } from './service.ts';

const longestPauseMs = 60_000;

/**
 * Runs `work` at once, then again `ms` after each end, so that runs never overlap. A jitter of a tenth keeps replicas out of
 * step. A failure is logged and doubles the pause, up to a minute or `ms`, whichever is longer; without a reporter it ends the
 * loop.
 */
export const every =
  (ms: number, work: (signal: AbortSignal) => unknown): Loop =>
  async (signal, reporter) => {
    let failures = 0;
    reporter?.repeats(ms);
    while (!signal.aborted) {
      const started = performance.now();
      const seconds = () => (performance.now() - started) / 1_000;
      try {
        await work(signal);
        failures = 0;
        reporter?.ran('ok', seconds());
      } catch (error) {
        if (signal.aborted) return;
        if (!reporter) throw error;
        failures += 1;
        reporter.ran('failed', seconds());
        reporter.log.error({ err: error, failures }, 'a run of the loop failed');
      }
      await pause(pauseMs(ms, failures), signal);
    }
  };

export function pauseMs(ms: number, failures: number): number {
  if (failures === 0) return ms * (0.95 + Math.random() / 10);
  return backOffMs({ firstMs: 2 * Math.max(ms, 100), longestMs: Math.max(longestPauseMs, ms), jitter: 0.05 }, failures);
}
