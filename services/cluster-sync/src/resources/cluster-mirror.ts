import { z } from 'zod';
import type { ChangeQueue } from './change-queue.ts';
import { deploymentNamespace } from './deployment-namespace.ts';
import type { KindName, TrackedKind } from './tracked-kinds.ts';
import { trackedObject } from './tracked-object.ts';

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
  /** A namespace became one of ours while others were being watched already. */
  onNamespace(namespace: string): void;
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
 * The state of one cluster's tracked objects as the API told it last. Lists and watches come in by the same doors, and
 * what differs from before goes to the queue.
 */
export function createClusterMirror({ known, queue, log, onNamespace }: ClusterMirrorDeps) {
  const objects = new Map(known.map((object) => [object.uid, object]));
  const deploymentOf = new Map<string, string>();

  function put(kind: TrackedKind, object: unknown): string | undefined {
    let uid: string | undefined;
    try {
      const place = kind.kind === 'Namespace' ? placeOfNamespace(object) : placeOf(object);
      if (!place) return undefined;
      uid = Named.parse(object).metadata.uid;

      const tracked = trackedObject(kind, object, place);
      if (objects.get(uid)?.fingerprint === tracked.fingerprint) return uid;
      objects.set(uid, { uid, kind: tracked.kind, namespace: tracked.namespace, fingerprint: tracked.fingerprint });
      queue.add({ uid, put: tracked });
    } catch (error) {
      log.warn(
        { kind: kind.kind, uid, reason: wordsOf(error) },
        'an object of the cluster is not as Kubernetes writes it',
      );
    }
    return uid;
  }

  /** Most objects of a cluster are not ours, so this looks at as little as it can. */
  function placeOf(object: unknown) {
    const { namespace = '' } = Named.parse(object).metadata;
    const deploymentId = deploymentOf.get(namespace);
    return deploymentId === undefined ? undefined : { namespace, deploymentId };
  }

  function placeOfNamespace(object: unknown) {
    const { namespace, deploymentId } = deploymentNamespace(object);
    if (deploymentId === null) {
      log.warn({ namespace }, 'a namespace with our label names no deployment; nothing in it is tracked');
      dropNamespace(namespace);
      return undefined;
    }
    const isNew = deploymentOf.get(namespace) !== deploymentId;
    deploymentOf.set(namespace, deploymentId);
    if (isNew) onNamespace(namespace);
    return { namespace, deploymentId };
  }

  function drop(uid: string): void {
    if (objects.delete(uid)) queue.add({ uid });
  }

  function dropWhere(isGone: (object: KnownObject) => boolean): void {
    for (const object of objects.values()) if (isGone(object)) drop(object.uid);
  }

  function dropNamespace(namespace: string): void {
    deploymentOf.delete(namespace);
    dropWhere((object) => object.namespace === namespace);
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

    /** Its row may not be as we said, so it is written again when the object is seen again. */
    doubt(uid: string): void {
      const object = objects.get(uid);
      if (object) objects.set(uid, { ...object, fingerprint: '' });
    },

    beginPass(kind: TrackedKind, namespace?: string): ListPass {
      const seen = new Set<string>();
      return {
        saw(object) {
          const uid = put(kind, object);
          if (uid !== undefined) seen.add(uid);
        },
        end() {
          const isListed = (object: KnownObject) =>
            object.kind === kind.kind && (namespace === undefined || object.namespace === namespace);
          const gone = [...objects.values()].filter((object) => isListed(object) && !seen.has(object.uid));
          for (const object of gone) {
            if (kind.kind === 'Namespace') deploymentOf.delete(object.namespace);
            drop(object.uid);
          }
          // Also what an earlier watch left behind in namespaces that vanished meanwhile.
          if (kind.kind === 'Namespace') dropWhere((object) => !deploymentOf.has(object.namespace));
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
