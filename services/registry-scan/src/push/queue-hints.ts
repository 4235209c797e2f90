import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { PushHint } from '../connection/push-hint.ts';
import type { PollRepository } from '../polling/poll-repository.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { HintRepository } from './hint-repository.ts';
import { registriesFor } from './registries-for.ts';

export interface QueueHintsDeps {
  hints: Pick<HintRepository, 'add'>;
  wakeUp: Pick<WakeUp, 'wake'>;
  /** Those of the configuration. */
  registries: readonly Pick<ScannedRegistry, 'key' | 'source'>[];
  created: { withId: (id: string) => Pick<ScannedRegistry, 'key' | 'source'> | undefined };
  pollRepository: Pick<PollRepository, 'makeDue'>;
}

/** The pause before a deletion is checked: a registry reports it before the tags are gone, and reports many one by one. */
const deletionMs = 1_000;

/**
 * Stores hints as they arrive, so that an event that was accepted survives this replica; if one does not fit, the poll of its registry
 * becomes due. Those that a created registry sent are for it alone.
 */
export const queueHints =
  ({ hints, wakeUp, registries, created, pollRepository }: QueueHintsDeps) =>
  async (pushed: readonly PushHint[], createdId: string | null): Promise<void> => {
    const overflowing = await hints.add(
      pushed.flatMap(({ host, ...named }) => {
        const afterMs = named.tag === null ? deletionMs : 0;
        return keysFor({ host, ...named }, createdId).map((key) => ({ key, ...named, afterMs }));
      }),
    );
    wakeUp.wake();
    for (const key of overflowing) await pollRepository.makeDue(key);

    function keysFor(hint: PushHint, id: string | null): string[] {
      if (id === null) return registriesFor(hint, registries);
      const registry = created.withId(id);
      // Whatever it calls itself, it proved that it is this one.
      return registry ? registriesFor({ ...hint, host: registry.source.domain }, [registry]) : [];
    }
  };
