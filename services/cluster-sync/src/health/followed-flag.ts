import { EventEmitter, once } from 'node:events';
import { pause } from '@berth/service/waiting/pause';

export interface FollowedFlagDeps {
  /** All that has to be followed. */
  readonly kinds: readonly string[];
  /** Writes whether the rows of the cluster are what its watches show. */
  save(followed: boolean): Promise<unknown>;
  /** Within this time after a watch opens, the events that it has missed arrive and are written. */
  readonly arrivalMs?: number;
  readonly retryMs?: number;
  /** How often it is written again: ignoring a cluster clears it, and within a second that may be undone without any watch reopening. */
  readonly againMs?: number;
}

/**
 * Whether all watches of a cluster are open. Until they are, its rows may date from before an outage, so no health is reported from
 * them.
 */
export function followedFlag({ kinds, save, arrivalMs = 1_500, retryMs = 1_000, againMs = 10_000 }: FollowedFlagDeps) {
  const behind = new Set(kinds);
  const events = new EventEmitter();

  const untilNoted = (signal: AbortSignal) =>
    once(events, 'noted', { signal: AbortSignal.any([signal, AbortSignal.timeout(againMs)]) }).catch(() => undefined);

  return {
    note(kind: string, isCurrent: boolean): void {
      if (behind.has(kind) !== isCurrent) return;
      if (isCurrent) behind.delete(kind);
      else behind.add(kind);
      events.emit('noted');
    },

    /** Runs until the signal aborts. */
    async run(signal: AbortSignal): Promise<void> {
      let saved: boolean | null = null;
      while (!signal.aborted) {
        const isFollowed = behind.size === 0;
        if (saved === isFollowed) await untilNoted(signal);
        else if (isFollowed) await pause(arrivalMs, signal);
        if (signal.aborted || isFollowed !== (behind.size === 0)) continue;
        const isSaved = await save(isFollowed).then(
          () => true,
          () => false,
        );
        if (isSaved) saved = isFollowed;
        else await pause(retryMs, signal);
      }
    },
  };
}
