/** The identity and fingerprint of a stored row. */
export interface KnownObject {
  readonly uid: string;
  readonly kind: string;
  readonly namespace: string;
  readonly fingerprint: string;
}

export interface RowLimits {
  /** Of one kind in one namespace: pods that come and go must not crowd out the workloads that make them. */
  readonly perKind: number;
  readonly perCluster: number;
}

export const usualLimits: RowLimits = { perKind: 500, perCluster: 20_000 };

/** The rows of a cluster, by uid, and how many there are. */
export function createKnownObjects(known: readonly KnownObject[], { perKind, perCluster }: RowLimits) {
  const objects = new Map<string, KnownObject>();
  const counts = new Map<string, number>();
  for (const object of known) put(object);

  function put(object: KnownObject): void {
    if (!objects.has(object.uid)) count(object, 1);
    objects.set(object.uid, object);
  }

  function count(object: Omit<KnownObject, 'fingerprint' | 'uid'>, by: 1 | -1): void {
    const key = keyOf(object);
    const next = (counts.get(key) ?? 0) + by;
    if (next > 0) counts.set(key, next);
    else counts.delete(key);
  }

  return {
    get: (uid: string): KnownObject | undefined => objects.get(uid),
    put,

    /** Whether there was one. */
    delete(uid: string): boolean {
      const object = objects.get(uid);
      if (!object) return false;
      count(object, -1);
      return objects.delete(uid);
    },

    values: () => objects.values(),

    /** Whether there is room for another one like it. */
    hasRoomFor: (object: Omit<KnownObject, 'fingerprint'>): boolean =>
      objects.size < perCluster && (counts.get(keyOf(object)) ?? 0) < perKind,
  };
}

const keyOf = ({ kind, namespace }: Pick<KnownObject, 'kind' | 'namespace'>): string => `${kind} ${namespace}`;
