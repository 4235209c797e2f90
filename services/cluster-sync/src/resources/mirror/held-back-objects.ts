import type { ObservedObject } from '../objects/observed-object.ts';

/**
 * Objects whose namespace is not known yet: each kind has a watch of its own, so a pod may arrive before the
 * namespace it lies in. Of each object the newest state is kept, and of all of them no more than `limit`.
 */
export function createHeldBackObjects(limit: number) {
  const held = new Map<string, ObservedObject>();
  let overflows = 0;
  let recovered = 0;

  function forgetWhere(isMeant: (object: ObservedObject) => boolean): ObservedObject[] {
    const forgotten = [...held.values()].filter(isMeant);
    for (const { uid } of forgotten) held.delete(uid);
    return forgotten;
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

    /** What was held back for a namespace, which is not held any more. */
    take: (namespace: string): ObservedObject[] => forgetWhere((object) => object.namespace === namespace),

    forgetKind(kind: string): void {
      forgetWhere((object) => object.kind === kind);
    },

    /** Whether objects of namespaces that are not known yet were lost. */
    isIncomplete: () => overflows > recovered,

    /**
     * Call it when a list of all namespaces begins, and its result when the list has ended: what was lost before lay in
     * namespaces that this list shows.
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
