import { nextPollDelay } from './next-poll-delay.ts';
import type { PollRepository } from './poll-repository.ts';
import type { ScanDeps, WatchedRegistry } from '../scan/scan-deps.ts';
import { scanRegistry } from '../scan/scan-registry.ts';

export interface PollDeps {
  scan: ScanDeps;
  pollRepository: Pick<PollRepository, 'failuresIfDue' | 'schedule'>;
  /** Does the work where no other replica does it; its signal ends when the lease does. */
  alone: (domain: string, work: (held: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<unknown>;
}

/** Polls a registry when it is time, in one replica at a time. An outage changes nothing but the time of the next poll. */
export const pollRegistry =
  ({ scan, pollRepository, alone }: PollDeps, registry: WatchedRegistry) =>
  async (signal: AbortSignal): Promise<void> => {
    const { domain, pollIntervalMs } = registry.source;
    if ((await pollRepository.failuresIfDue(domain)) === null) return;

    const poll = async (held: AbortSignal) => {
      // Another replica may have done it while we waited for the lease.
      const failures = await pollRepository.failuresIfDue(domain);
      if (failures === null) return;
      try {
        await scanRegistry(scan, registry, held);
        await pollRepository.schedule(domain, pollIntervalMs, 0);
      } catch (error) {
        if (held.aborted) return;
        scan.log.warn({ err: error, registry: domain, failures: failures + 1 }, 'a registry could not be polled');
        await pollRepository.schedule(domain, nextPollDelay(pollIntervalMs, failures + 1), failures + 1);
      }
    };
    await alone(domain, poll, signal);
  };
