import { EventEmitter, once } from 'node:events';
import type { TrackedObject } from '../objects/tracked-object.ts';

/** What is to become of the row of one object. */
export type RowChange =
  | { readonly uid: string; readonly put: TrackedObject }
  | { readonly uid: string; readonly put?: undefined };

/**
 * Changes on their way to the database, at most one per object: a newer one replaces an older. Whoever adds waits for
 * room first, so a slow database slows the watches down instead of filling the memory.
 */
export function createChangeQueue(limit: number) {
  const pending = new Map<string, RowChange>();
  const events = new EventEmitter().setMaxListeners(0);

  return {
    add(change: RowChange): void {
      pending.set(change.uid, change);
      events.emit('added');
    },

    /** Puts back what could not be written, except where something newer has come meanwhile. */
    giveBack(changes: readonly RowChange[]): void {
      for (const change of changes) if (!pending.has(change.uid)) pending.set(change.uid, change);
    },

    take(most: number): RowChange[] {
      const taken = [...pending.values()].slice(0, most);
      for (const { uid } of taken) pending.delete(uid);
      events.emit('taken');
      return taken;
    },

    /** Rejects when the signal aborts. */
    async waitForRoom(signal: AbortSignal): Promise<void> {
      while (pending.size >= limit) await once(events, 'taken', { signal });
    },

    async waitForChange(signal: AbortSignal): Promise<void> {
      while (pending.size === 0) await once(events, 'added', { signal });
    },

    size: () => pending.size,
  };
}
export type ChangeQueue = ReturnType<typeof createChangeQueue>;
