import { z } from 'zod';
import type { ChangeQueue } from '../rows/change-queue.ts';
import { deploymentNamespace } from '../objects/deployment-namespace.ts';
import { createHeldBackObjects } from './held-back-objects.ts';
import { createNamespaceBook } from './namespace-index.ts';
import { type ObservedObject, observedObject } from '../objects/observed-object.ts';
import type { KindName, TrackedKind } from '../objects/tracked-kinds.ts';
import { trackedObject } from '../objects/tracked-object.ts';

/** What is known of a row without reading it. */
export interface KnownObject {
  readonly uid: string;
  readonly kind: string;
  readonly namespace: string;
  readonly fingerprint: string;
}

export interface ClusterMirrorDeps {
  /** The rows as they are when the watch begins. */
  readonly known: readonly KnownObject[];
  readonly queue: Pick<ChangeQueue, 'add'>;
  readonly log: { warn(fields: object, words: string): void };
  /** A namespace became tracked, and objects in it may have been missed: it has to be listed. */
  onNamespace(namespace: string): void;
  readonly heldBackLimit?: number;
}

/** One list of a kind, whole or of one namespace: what it does not show is gone. */
export interface ListPass {
  saw(object: unknown): void;
  end(): void;
}

const Named = z.object({
  metadata: z.object({ uid: z.string(), name: z.string(), namespace: z.string().optional() }),
});

/**
 * The last known state of one cluster's tracked objects. Lists and watches come in by the same doors, and
 * what differs from before goes to the queue. All namespaces come in, so that of an object in a namespace without
 * deployment it is known whether it is of no interest or only early.
 */
export function createClusterMirror(deps: ClusterMirrorDeps) {
  const { known, queue, log, onNamespace, heldBackLimit = 2_000 } = deps;
  const objects = new Map(known.map((object) => [object.uid, object]));
  const namespaces = createNamespaceBook();
  const heldBack = createHeldBackObjects(heldBackLimit);

  /** Answers the uid of an object that is tracked, or may be soon. */
  function put(kind: TrackedKind, object: unknown): string | undefined {
    let uid: string | undefined;
    try {
      const { metadata } = Named.parse(object);
      if (kind.kind === 'Namespace') seeNamespace(object);
      const namespace = kind.kind === 'Namespace' ? metadata.name : (metadata.namespace ?? '');
      const deploymentId = namespace === '' ? null : namespaces.deploymentOf(namespace);
      // Most objects of a cluster are not tracked, so this reads as little as it can.
      if (deploymentId === null) return undefined;

      uid = metadata.uid;
      const observed = observedObject(kind, object, namespace);
      if (deploymentId === undefined) heldBack.put(observed);
      else track(observed, deploymentId);
    } catch (error) {
      log.warn(
        { kind: kind.kind, uid, reason: wordsOf(error) },
        'an object of the cluster is not as Kubernetes writes it',
      );
    }
    return uid;
  }

  function track(observed: ObservedObject, deploymentId: string): void {
    const tracked = trackedObject(observed, deploymentId);
    const { uid, kind, namespace, fingerprint } = tracked;
    if (objects.get(uid)?.fingerprint === fingerprint) return;
    objects.set(uid, { uid, kind, namespace, fingerprint });
    queue.add({ uid, put: tracked });
  }

  function seeNamespace(object: unknown): void {
    const { namespace, deploymentId, isAnonymous } = deploymentNamespace(object);
    if (isAnonymous)
      log.warn({ namespace }, 'a namespace with our label names no deployment; nothing in it is tracked');
    const change = namespaces.see(namespace, deploymentId);
    if (change === 'none') return;

    const early = heldBack.take(namespace);
    if (deploymentId === null) {
      if (change === 'other') dropWhere((known) => known.namespace === namespace);
      return;
    }
    for (const observed of early) track(observed, deploymentId);
    if (change === 'other' || heldBack.isIncomplete()) onNamespace(namespace);
  }

  function drop(uid: string): void {
    heldBack.remove(uid);
    if (objects.delete(uid)) queue.add({ uid });
  }

  function dropWhere(isGone: (object: KnownObject) => boolean): void {
    for (const object of objects.values()) if (isGone(object)) drop(object.uid);
  }

  function dropNamespace(namespace: string): void {
    const isOurs = namespaces.deploymentOf(namespace) !== null;
    namespaces.remove(namespace);
    heldBack.take(namespace);
    if (isOurs) dropWhere((object) => object.namespace === namespace);
  }

  function beginNamespaces(): () => void {
    const endRecovery = heldBack.startRecovery();
    namespaces.beginPass();
    return () => {
      namespaces.endPass();
      endRecovery();
      // Also what an earlier watch left behind in namespaces that vanished meanwhile.
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

    /** Its row may differ, so it is written again at the object's next event. */
    doubt(uid: string): void {
      const object = objects.get(uid);
      if (object) objects.set(uid, { ...object, fingerprint: '' });
    },

    beginPass(kind: TrackedKind, namespace?: string): ListPass {
      const seen = new Set<string>();
      const isWhole = namespace === undefined;
      const endNamespaces = kind.kind === 'Namespace' && isWhole ? beginNamespaces() : undefined;
      // The list shows what still is there.
      if (isWhole) heldBack.forgetKind(kind.kind);
      return {
        saw(object) {
          const uid = put(kind, object);
          if (uid !== undefined) seen.add(uid);
        },
        end() {
          dropWhere(
            (object) =>
              object.kind === kind.kind && (isWhole || object.namespace === namespace) && !seen.has(object.uid),
          );
          endNamespaces?.();
        },
      };
    },
  };
}
export type ClusterMirror = ReturnType<typeof createClusterMirror>;

const wordsOf = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues
        .slice(0, 3)
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ')
    : String(error);
