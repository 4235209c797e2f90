import type { Service } from '@berth/shared/service/service';
import type { WakeUp } from '@berth/shared/waiting/wake-up';
import type { RegistrySource } from '../oci/registry-source.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { HintQueue } from './hint-queue.ts';
import type { PushHint } from './push-envelope.ts';
import { registriesFor } from './registries-for.ts';

export interface QueueHintsDeps {
  queue: Pick<HintQueue, 'add'>;
  wakeUp: Pick<WakeUp, 'wake'>;
  sources: readonly RegistrySource[];
  pollRepository: Pick<PollRepository, 'hasten'>;
  log: Pick<Service['log'], 'warn'>;
}

/** A registry tells of a deletion before its tags are gone, and of many one by one. */
const deletionMs = 1_000;

/** Takes hints as they arrive; those that there is no room for make the poll of their registry due. */
export const queueHints =
  ({ queue, wakeUp, sources, pollRepository, log }: QueueHintsDeps) =>
  (hints: readonly PushHint[]): void => {
    const overflowing = new Set<string>();
    for (const { host, ...place } of hints) {
      for (const domain of registriesFor({ host, ...place }, sources)) {
        const afterMs = place.tag === null ? deletionMs : 0;
        if (!queue.add({ domain, ...place, attempt: 1 }, afterMs)) overflowing.add(domain);
      }
    }
    wakeUp.wake();
    for (const domain of overflowing) {
      pollRepository.hasten(domain).catch((error: unknown) => {
        log.warn({ err: error, registry: domain }, 'more was pushed than can be remembered');
      });
    }
  };
