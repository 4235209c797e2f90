import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { type RoundResult, scanRegistry } from '../scan/scan-registry.ts';
import { failureCause } from '../connection/failure-cause.ts';
import { wordsOf } from '../connection/words-of.ts';
import { nextPollDelay } from './next-poll-delay.ts';
import type { PollRepository } from './poll-repository.ts';
import type { ScanMetrics } from './scan-metrics.ts';
import { showProgress } from './show-progress.ts';

export interface PollDeps {
  scan: ScanDeps;
  pollRepository: Pick<PollRepository, 'failuresIfDue' | 'record'>;
  metrics: ScanMetrics;
  /** Does the work while this replica holds the lease; the signal of the work aborts when the lease is lost. */
  whileLeader: (key: string, work: (held: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<unknown>;
}

/** Polls a registry when it is due, in one replica at a time. An outage only delays the next poll. */
export const pollRegistry =
  ({ scan, pollRepository, metrics, whileLeader }: PollDeps, registry: ScannedRegistry) =>
  async (signal: AbortSignal): Promise<void> => {
    const { key, source } = registry;
    const { domain, pollIntervalMs } = source;
    if ((await pollRepository.failuresIfDue(key)) === null) return;

    async function poll(held: AbortSignal): Promise<void> {
      // Another replica may have polled it while this one waited for the lease.
      const failures = await pollRepository.failuresIfDue(key);
      if (failures === null) return;
      const startedAt = await scan.tagRepository.now();
      const begun = performance.now();
      try {
        await using _ = showProgress({ registry, metrics, log: scan.log, signal: held });
        const result = await scanRegistry(scan, registry, held);
        await succeed(result, startedAt, performance.now() - begun);
      } catch (error) {
        if (held.aborted) return;
        const count = failures + 1;
        scan.log.warn({ err: error, registry: domain, failures: count }, 'polling a registry failed');
        metrics.failed(domain, failureCause(error));
        const afterMs = nextPollDelay(pollIntervalMs, count);
        const failed = { failures: count, isComplete: false, error: wordsOf(error) };
        await pollRepository.record(key, { startedAt, afterMs, ...failed });
      }
    }

    async function succeed(result: RoundResult, startedAt: string, ms: number): Promise<void> {
      const { repositories, changed, failed, failure, isSpread } = result;
      const isComplete = failed === 0;
      if (isComplete) metrics.completed(domain, ms / 1000);
      else metrics.failed(domain, failureCause(failure));
      if (changed > 0 || !isComplete) {
        scan.log.info(
          { registry: domain, repositories, changed, failed, seconds: Math.round(ms / 1000) },
          'registry scanned',
        );
      }
      const error = isComplete ? null : `${failed} could not be scanned: ${wordsOf(failure)}`;
      const afterMs = isSpread ? Math.max(0, pollIntervalMs - ms) : pollIntervalMs;
      await pollRepository.record(key, { startedAt, afterMs, failures: 0, isComplete, error });
    }

    await whileLeader(key, poll, signal);
  };
