import { nextPollDelay } from './next-poll-delay.ts';
import type { PollRepository } from './poll-repository.ts';
import type { ConfiguredRegistry } from '../scan/configured-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { scanRegistry } from '../scan/scan-registry.ts';

export interface PollDeps {
  scan: ScanDeps;
  pollRepository: Pick<PollRepository, 'failuresIfDue' | 'schedule'>;
  /** Does the work while this replica holds the lease; the signal of the work aborts when the lease is lost. */
  whileLeader: (domain: string, work: (held: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<unknown>;
}

/** Polls a registry when it is due, in one replica at a time. An outage only delays the next poll. */
export const pollRegistry =
  ({ scan, pollRepository, whileLeader }: PollDeps, registry: ConfiguredRegistry) =>
  async (signal: AbortSignal): Promise<void> => {
    const { domain, pollIntervalMs } = registry.source;
    if ((await pollRepository.failuresIfDue(domain)) === null) return;

    const poll = async (held: AbortSignal) => {
      // Another replica may have polled it while this one waited for the lease.
      const failures = await pollRepository.failuresIfDue(domain);
      if (failures === null) return;
      try {
        await scanRegistry(scan, registry, held);
        await pollRepository.schedule(domain, pollIntervalMs, 0);
      } catch (error) {
        if (held.aborted) return;
        scan.log.warn({ err: error, registry: domain, failures: failures + 1 }, 'polling a registry failed');
        await pollRepository.schedule(domain, nextPollDelay(pollIntervalMs, failures + 1), failures + 1);
      }
    };
    await whileLeader(domain, poll, signal);
  };
