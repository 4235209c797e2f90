import type { Service } from '@berth/service/service';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { PushHint } from '../connection/push-hint.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { HintQueue } from './hint-queue.ts';
import { registriesFor } from './registries-for.ts';

export interface QueueHintsDeps {
  queue: Pick<HintQueue, 'add'>;
  wakeUp: Pick<WakeUp, 'wake'>;
  /** Those of the configuration. */
  registries: readonly Pick<ScannedRegistry, 'key' | 'source'>[];
  created: { withId: (id: string) => Pick<ScannedRegistry, 'key' | 'source'> | undefined };
  pollRepository: Pick<PollRepository, 'makeDue'>;
  log: Pick<Service['log'], 'warn'>;
}

/** The pause before a deletion is checked: a registry reports it before the tags are gone, and reports many one by one. */
const deletionMs = 1_000;

/**
 * Queues hints as they arrive; if one does not fit, the poll of its registry becomes due. Those that a created registry sent are for
 * it alone.
 */
export const queueHints =
  ({ queue, wakeUp, registries, created, pollRepository, log }: QueueHintsDeps) =>
  (hints: readonly PushHint[], createdId: string | null): void => {
    const overflowing = new Set<string>();
    for (const { host, ...named } of hints) {
      const afterMs = named.tag === null ? deletionMs : 0;
      for (const key of keysFor({ host, ...named }, createdId)) {
        if (!queue.add({ key, ...named, attempt: 1 }, afterMs)) overflowing.add(key);
      }
    }
    wakeUp.wake();
    for (const key of overflowing) {
      pollRepository.makeDue(key).catch((error: unknown) => {
        log.warn({ err: error, registry: key }, 'the queue of push events is full and the poll could not be made due');
      });
    }

    function keysFor(hint: PushHint, id: string | null): string[] {
      if (id === null) return registriesFor(hint, registries);
      const registry = created.withId(id);
      // Whatever it calls itself, it proved that it is this one.
      return registry ? registriesFor({ ...hint, host: registry.source.domain }, [registry]) : [];
    }
  };
