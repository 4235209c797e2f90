import { EventEmitter, once } from 'node:events';
import type { TrackedObject } from '../objects/tracked-object.ts';

/** A change of the row of one object: an upsert, or a deletion. */
export type RowChange =
  | { readonly uid: string; readonly put: TrackedObject }
  | { readonly uid: string; readonly put?: undefined };

/**
 * Changes to be written to the database, at most one per object: a newer one replaces an older one. Producers wait for
 * room before they add, so a slow database slows the watches down instead of filling the memory.
 */
export function createChangeQueue(capacity: number) {
  const pending = new Map<string, RowChange>();
  const events = new EventEmitter().setMaxListeners(0);

  return {
    add(change: RowChange): void {
      pending.set(change.uid, change);
      events.emit('added');
    },

    /** Puts back changes that could not be written, except where a newer one was added since. */
    giveBack(changes: readonly RowChange[]): void {
      for (const change of changes) if (!pending.has(change.uid)) pending.set(change.uid, change);
    },

    take(limit: number): RowChange[] {
      const taken = [...pending.values()].slice(0, limit);
      for (const { uid } of taken) pending.delete(uid);
      events.emit('taken');
      return taken;
    },

    /** Rejects when the signal aborts. */
    async waitForRoom(signal: AbortSignal): Promise<void> {
      while (pending.size >= capacity) await once(events, 'taken', { signal });
    },

    async waitForChange(signal: AbortSignal): Promise<void> {
      while (pending.size === 0) await once(events, 'added', { signal });
    },

    size: () => pending.size,
  };
}
export type ChangeQueue = ReturnType<typeof createChangeQueue>;
