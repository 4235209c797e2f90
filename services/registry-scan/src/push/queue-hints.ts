import type { Service } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { RegistrySource } from '../connection/registry-source.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { HintQueue } from './hint-queue.ts';
import type { PushHint } from '../connection/push-hint.ts';
import { registriesFor } from './registries-for.ts';

export interface QueueHintsDeps {
  queue: Pick<HintQueue, 'add'>;
  wakeUp: Pick<WakeUp, 'wake'>;
  sources: readonly RegistrySource[];
  pollRepository: Pick<PollRepository, 'makeDue'>;
  log: Pick<Service['log'], 'warn'>;
}

/** The pause before a deletion is checked: a registry reports it before the tags are gone, and reports many one by one. */
const deletionMs = 1_000;

/** Queues hints as they arrive; if one does not fit, the poll of its registry becomes due. */
export const queueHints =
  ({ queue, wakeUp, sources, pollRepository, log }: QueueHintsDeps) =>
  (hints: readonly PushHint[]): void => {
    const overflowing = new Set<string>();
    for (const { host, ...named } of hints) {
      for (const domain of registriesFor({ host, ...named }, sources)) {
        const afterMs = named.tag === null ? deletionMs : 0;
        if (!queue.add({ domain, ...named, attempt: 1 }, afterMs)) overflowing.add(domain);
      }
    }
    wakeUp.wake();
    for (const domain of overflowing) {
      pollRepository.makeDue(domain).catch((error: unknown) => {
        log.warn(
          { err: error, registry: domain },
          'the queue of push events is full and the poll could not be made due',
        );
      });
    }
  };
