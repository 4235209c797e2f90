import type { SeenObject } from './seen-object.ts';

/**
 * Objects whose namespace was not seen yet: each kind has a watch of its own, so a pod may be told of before the
 * namespace it lies in. Of each object the newest state is kept, and of all of them no more than `limit`.
 */
export function createHeldBackObjects(limit: number) {
  const held = new Map<string, SeenObject>();
  let overflows = 0;
  let settled = 0;

  function forgetWhere(isMeant: (object: SeenObject) => boolean): SeenObject[] {
    const forgotten = [...held.values()].filter(isMeant);
    for (const { uid } of forgotten) held.delete(uid);
    return forgotten;
  }

  return {
    put(object: SeenObject): void {
      if (held.size >= limit && !held.has(object.uid)) {
        held.clear();
        overflows += 1;
      }
      held.set(object.uid, object);
    },

    remove(uid: string): void {
      held.delete(uid);
    },

    /** What was held back for a namespace, which is not held any more. */
    take: (namespace: string): SeenObject[] => forgetWhere((object) => object.namespace === namespace),

    forgetKind(kind: string): void {
      forgetWhere((object) => object.kind === kind);
    },

    /** Whether objects were lost of namespaces that may still be seen for the first time. */
    isIncomplete: () => overflows > settled,

    /**
     * To be asked for when a list of all namespaces begins, and called when it has ended: what was lost before lay in
     * namespaces that this list shows.
     */
    settling(): () => void {
      const until = overflows;
      return () => {
        settled = until;
      };
    },
  };
}
export type HeldBackObjects = ReturnType<typeof createHeldBackObjects>;
