import type { ObservedObject } from '../objects/observed-object.ts';

/**
 * Objects whose namespace is not known yet: each kind has its own watch, so a pod may arrive before its namespace. Keeps the
 * newest state of at most `limit` objects.
 */
export function createHeldBackObjects(limit: number) {
  const held = new Map<string, ObservedObject>();
  let overflows = 0;
  let recovered = 0;

  function takeWhere(matches: (object: ObservedObject) => boolean): ObservedObject[] {
    const taken = [...held.values()].filter(matches);
    for (const { uid } of taken) held.delete(uid);
    return taken;
  }

  return {
    put(object: ObservedObject): void {
      if (held.size >= limit && !held.has(object.uid)) {
        held.clear();
        overflows += 1;
      }
      held.set(object.uid, object);
    },

    remove(uid: string): void {
      held.delete(uid);
    },

    /** Removes and returns the objects of a namespace. */
    take: (namespace: string): ObservedObject[] => takeWhere((object) => object.namespace === namespace),

    removeKind(kind: string): void {
      takeWhere((object) => object.kind === kind);
    },

    /** Whether dropped objects may belong to namespaces that are still to arrive. */
    isIncomplete: () => overflows > recovered,

    /**
     * Call it when a list of all namespaces begins, and call its result when the list has ended: that list has the namespaces
     * of all objects that were dropped before it began.
     */
    startRecovery(): () => void {
      const until = overflows;
      return () => {
        recovered = until;
      };
    },
  };
}
export type HeldBackObjects = ReturnType<typeof createHeldBackObjects>;
