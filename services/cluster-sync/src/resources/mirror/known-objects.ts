/** The identity and fingerprint of a stored row. */
export interface KnownObject {
  readonly uid: string;
  readonly kind: string;
  readonly namespace: string;
  readonly fingerprint: string;
}

export interface RowLimits {
  /** Per kind and namespace, so that short-lived pods do not crowd out the workloads that create them. */
  readonly perKind: number;
  readonly perCluster: number;
}

export const usualLimits: RowLimits = { perKind: 500, perCluster: 20_000 };

/** Objects of one kind in one namespace share these strings, which would otherwise be copied a hundred thousand times. */
interface Group {
  readonly kind: string;
  readonly namespace: string;
  size: number;
}

/** The rows of a cluster by uid, with counts. Nothing else of an object is kept. */
export function createKnownObjects(known: readonly KnownObject[], { perKind, perCluster }: RowLimits) {
  const groups = new Map<string, Group>();
  const objects = new Map<string, { group: Group; fingerprint: string }>();
  for (const object of known) put(object);

  function put({ uid, kind, namespace, fingerprint }: KnownObject): void {
    remove(uid);
    const key = keyOf({ kind, namespace });
    const group = groups.get(key) ?? { kind, namespace, size: 0 };
    groups.set(key, group);
    group.size += 1;
    objects.set(uid, { group, fingerprint });
  }

  /** Returns whether the row existed. */
  function remove(uid: string): boolean {
    const object = objects.get(uid);
    if (!object) return false;
    const { group } = object;
    group.size -= 1;
    if (group.size === 0) groups.delete(keyOf(group));
    return objects.delete(uid);
  }

  return {
    get(uid: string): KnownObject | undefined {
      const object = objects.get(uid);
      return (
        object && { uid, kind: object.group.kind, namespace: object.group.namespace, fingerprint: object.fingerprint }
      );
    },
    put,
    delete: remove,

    /** The uids of the objects that satisfy the predicate. */
    *where(holds: (object: Omit<KnownObject, 'fingerprint'>) => boolean): Generator<string> {
      for (const [uid, { group }] of objects) {
        if (holds({ uid, kind: group.kind, namespace: group.namespace })) yield uid;
      }
    },

    /** Whether another object of this kind and namespace fits within the limits. */
    hasRoomFor: (object: Pick<KnownObject, 'kind' | 'namespace'>): boolean =>
      objects.size < perCluster && (groups.get(keyOf(object))?.size ?? 0) < perKind,
  };
}

const keyOf = ({ kind, namespace }: Pick<KnownObject, 'kind' | 'namespace'>): string => `${kind} ${namespace}`;
