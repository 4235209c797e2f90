import { EventEmitter, once } from 'node:events';
import type { TrackedObject } from '../objects/tracked-object.ts';

/** A change of the row of one object: an upsert, or a deletion. */
export type RowChange =
  | { readonly uid: string; readonly put: TrackedObject }
  | { readonly uid: string; readonly put?: undefined };

/** The room that the queues of all clusters share. */
export interface QueueRoom {
  size: number;
  readonly capacity: number;
  readonly events: EventEmitter;
}

export const queueRoom = (capacity: number): QueueRoom => ({
  size: 0,
  capacity,
  events: new EventEmitter().setMaxListeners(0),
});

/**
 * Changes to be written to the database, at most one per object: a newer one replaces an older one. Producers wait for room
 * before they add, so a slow database slows the watches down instead of filling the memory. Lists have thousands of objects,
 * so they also wait for shared room; a watch of one cluster does not wait for the list of another.
 */
export function createChangeQueue(capacity: number, shared: QueueRoom = queueRoom(Number.POSITIVE_INFINITY)) {
  const pending = new Map<string, RowChange>();
  const events = new EventEmitter().setMaxListeners(0);

  function put(change: RowChange): void {
    if (!pending.has(change.uid)) shared.size += 1;
    pending.set(change.uid, change);
  }

  function remove(changes: readonly RowChange[]): void {
    for (const { uid } of changes) if (pending.delete(uid)) shared.size -= 1;
    events.emit('taken');
    shared.events.emit('taken');
  }

  return {
    add(change: RowChange): void {
      put(change);
      events.emit('added');
    },

    /** Puts back changes that could not be written, except those that a newer change has replaced. */
    giveBack(changes: readonly RowChange[]): void {
      for (const change of changes) if (!pending.has(change.uid)) put(change);
    },

    take(limit: number): RowChange[] {
      const taken = [...pending.values()].slice(0, limit);
      remove(taken);
      return taken;
    },

    /** Rejects when the signal aborts. */
    async waitForRoom(signal: AbortSignal): Promise<void> {
      while (pending.size >= capacity) await once(events, 'taken', { signal });
    },

    /** For the objects of a list. */
    async waitForSharedRoom(signal: AbortSignal): Promise<void> {
      while (pending.size >= capacity || shared.size >= shared.capacity) {
        await (pending.size >= capacity ? once(events, 'taken', { signal }) : once(shared.events, 'taken', { signal }));
      }
    },

    async waitForChange(signal: AbortSignal): Promise<void> {
      while (pending.size === 0) await once(events, 'added', { signal });
    },

    /** Frees the shared room of this queue. */
    clear: (): void => remove([...pending.values()]),

    size: () => pending.size,
    isFull: () => pending.size >= capacity || shared.size >= shared.capacity,
  };
}
export type ChangeQueue = ReturnType<typeof createChangeQueue>;
