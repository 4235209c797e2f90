import { z } from 'zod';
import type { ChangeQueue } from '../rows/change-queue.ts';
import { createHeldBackObjects } from './held-back-objects.ts';
import { createKnownObjects, type KnownObject, type RowLimits, usualLimits } from './known-objects.ts';
import { createNamespaceIndex } from './namespace-index.ts';
import { isOldReplicaSet } from '../objects/is-old-replica-set.ts';
import { type ObservedObject, observedObject } from '../objects/observed-object.ts';
import type { KindName, TrackedKind } from '../objects/tracked-kinds.ts';
import { trackedObject } from '../objects/tracked-object.ts';

export interface ClusterMirrorDeps {
  readonly clusterId: string;
  /** The rows at the start of the watch. */
  readonly known: readonly KnownObject[];
  readonly queue: Pick<ChangeQueue, 'add'>;
  readonly log: { warn(fields: object, words: string): void };
  /** The deployment that owns the namespace, or null. */
  ownerOf(namespace: unknown): string | null;
  /** Called when a namespace became tracked and objects in it may have been missed, so that it is listed. */
  onNamespace(namespace: string): void;
  readonly heldBackLimit?: number;
  readonly limits?: RowLimits;
}

/** One list of a kind, whole or of one namespace: objects that are not in it are gone. */
export interface ListPass {
  add(object: unknown): void;
  end(): void;
}

const Named = z.object({
  metadata: z.object({ uid: z.string(), name: z.string(), namespace: z.string().optional() }),
});

/**
 * The last known state of one cluster's tracked objects. Lists and watches feed it, and differences go to the queue. It
 * receives all namespaces, to tell an untracked object from one that arrived before its namespace.
 */
export function createClusterMirror(deps: ClusterMirrorDeps) {
  const { clusterId, known, queue, log, ownerOf, onNamespace, heldBackLimit = 2_000, limits = usualLimits } = deps;
  const objects = createKnownObjects(known, limits);
  const reportedAsFull = new Set<string>();
  const malformed = new Set<string>();
  const namespaces = createNamespaceIndex();
  const heldBack = createHeldBackObjects(heldBackLimit);

  /** Returns the uid of an object that is tracked or held back. */
  function put(kind: TrackedKind, object: unknown): string | undefined {
    let uid: string | undefined;
    try {
      const { metadata } = Named.parse(object);
      if (kind.kind === 'Namespace') putNamespace(metadata.name, ownerOf(object));
      const namespace = kind.kind === 'Namespace' ? metadata.name : (metadata.namespace ?? '');
      const deploymentId = namespace === '' ? null : namespaces.deploymentOf(namespace);
      // Most objects of a cluster are not tracked, so as little as possible is parsed before this check.
      if (deploymentId === null) return undefined;

      if (isOldReplicaSet(kind.kind, object)) {
        drop(metadata.uid);
        return undefined;
      }
      uid = metadata.uid;
      const observed = observedObject(kind, object, { clusterId, namespace });
      if (deploymentId === undefined) heldBack.put(observed);
      else track(observed, deploymentId);
    } catch (error) {
      reportMalformed(kind.kind, uid, messageOf(error));
    }
    return uid;
  }

  function track(observed: ObservedObject, deploymentId: string): void {
    const tracked = trackedObject(observed, deploymentId);
    const { uid, kind, namespace, fingerprint } = tracked;
    const before = objects.get(uid);
    if (before?.fingerprint === fingerprint) return;
    if (!before && !objects.hasRoomFor(tracked)) {
      reportFull(kind, namespace);
      return;
    }
    objects.put({ uid, kind, namespace, fingerprint });
    queue.add({ uid, put: tracked });
  }

  /** Logs once for each object, since one that changes every second would fill the log. */
  function reportMalformed(kind: string, uid: string | undefined, reason: string): void {
    const key = uid ?? kind;
    if (malformed.has(key)) return;
    if (malformed.size >= 1_000) malformed.clear();
    malformed.add(key);
    log.warn({ kind, uid, reason }, 'an object of the cluster is malformed');
  }

  /** Once others are gone, an omitted object is tracked at its next event or with the next full list. */
  function reportFull(kind: string, namespace: string): void {
    if (reportedAsFull.has(namespace) || reportedAsFull.size >= 1_000) return;
    reportedAsFull.add(namespace);
    log.warn({ kind, namespace }, 'a namespace has more objects than are tracked; the others are left out');
  }

  function putNamespace(namespace: string, deploymentId: string | null): void {
    const change = namespaces.put(namespace, deploymentId);
    if (change === 'none') return;

    const waiting = heldBack.take(namespace);
    if (deploymentId === null) {
      if (change === 'reassigned') dropWhere((known) => known.namespace === namespace);
      return;
    }
    for (const observed of waiting) track(observed, deploymentId);
    if (change === 'reassigned' || heldBack.isIncomplete()) onNamespace(namespace);
  }

  function drop(uid: string): void {
    heldBack.remove(uid);
    if (objects.delete(uid)) queue.add({ uid });
  }

  function dropWhere(isGone: (object: Omit<KnownObject, 'fingerprint'>) => boolean): void {
    for (const uid of objects.where(isGone)) drop(uid);
  }

  function dropNamespace(namespace: string): void {
    const mayBeTracked = namespaces.deploymentOf(namespace) !== null;
    namespaces.remove(namespace);
    heldBack.take(namespace);
    reportedAsFull.delete(namespace);
    if (mayBeTracked) dropWhere((object) => object.namespace === namespace);
  }

  function beginNamespaces(): () => void {
    const endRecovery = heldBack.startRecovery();
    namespaces.beginPass();
    return () => {
      namespaces.endPass();
      endRecovery();
      // This includes rows of an earlier watch, in namespaces that were deleted since.
      dropWhere((object) => typeof namespaces.deploymentOf(object.namespace) !== 'string');
    };
  }

  return {
    put(kind: TrackedKind, object: unknown): void {
      put(kind, object);
    },

    remove(kind: KindName, object: unknown): void {
      const { success, data } = Named.safeParse(object);
      if (!success) return;
      if (kind === 'Namespace') dropNamespace(data.metadata.name);
      drop(data.metadata.uid);
    },

    /** Causes the row of an object to be written again at its next event. */
    invalidate(uid: string): void {
      const object = objects.get(uid);
      if (object) objects.put({ ...object, fingerprint: '' });
    },

    beginPass(kind: TrackedKind, namespace?: string): ListPass {
      const listed = new Set<string>();
      const isWhole = namespace === undefined;
      const endNamespaces = kind.kind === 'Namespace' && isWhole ? beginNamespaces() : undefined;
      // The list contains those that still exist.
      if (isWhole) heldBack.removeKind(kind.kind);
      return {
        add(object) {
          const uid = put(kind, object);
          if (uid !== undefined) listed.add(uid);
        },
        end() {
          dropWhere(
            (object) =>
              object.kind === kind.kind && (isWhole || object.namespace === namespace) && !listed.has(object.uid),
          );
          endNamespaces?.();
        },
      };
    },
  };
}
export type ClusterMirror = ReturnType<typeof createClusterMirror>;

const messageOf = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues
        .slice(0, 3)
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ')
    : String(error);
