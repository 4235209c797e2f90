import type { Lease } from '@berth/shared/db/leases/lease';
import type { KubeApi } from '@berth/kube/kube-api';
import { oneAtATime } from '@berth/shared/waiting/one-at-a-time';
import type { Service } from '@berth/shared/service/service';
import { createReflector, type Reflector, type ReflectorSink } from '../reflector/reflector.ts';
import { together } from '../reflector/run-together.ts';
import { type ChangeQueue, createChangeQueue, type RowChange } from './rows/change-queue.ts';
import { type ClusterMirror, createClusterMirror } from './mirror/cluster-mirror.ts';
import type { K8sResourceRepository } from './rows/k8s-resource-repository.ts';
import { type TrackedKind, trackedKinds } from './objects/tracked-kinds.ts';
import { writeChanges } from './rows/write-changes.ts';

export interface WatchClusterDeps {
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'known' | 'save'>;
  readonly log: Service['log'];
  readonly resyncMs: number;
  readonly stallMs: number;
}

export interface WatchedCluster {
  readonly id: string;
  readonly api: KubeApi;
  readonly lease: Lease;
}

/** Of rows of up to 32 KiB each, for every cluster: two batches, so that one fills while the other is written. */
const queueLimit = 200;

/**
 * Tracks what lies in our namespaces of one cluster until the signal aborts. One watch per kind for the whole cluster:
 * one per namespace would be thousands. Ends with `NotOurCluster` when the lease went to somebody else.
 */
export async function watchCluster(
  deps: WatchClusterDeps,
  { id, api, lease }: WatchedCluster,
  signal: AbortSignal,
): Promise<void> {
  const { k8sResourceRepository, log, resyncMs, stallMs } = deps;
  const queue = createChangeQueue(queueLimit);
  const inNamespaces: Reflector[] = [];
  const mirror = createClusterMirror({
    known: await k8sResourceRepository.known(id),
    queue,
    log,
    onNamespace: (namespace) => {
      for (const reflector of inNamespaces) reflector.include(namespace);
    },
  });

  const inTurn = oneAtATime();
  const reflect = (kind: TrackedKind) =>
    createReflector({
      api,
      path: `${kind.root}/${kind.plural}`,
      pathIn: (namespace) => `${kind.root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`,
      sink: sinkInto({ mirror, queue, kind, signal }),
      inTurn,
      log: log.child({ kind: kind.kind }),
      resyncMs,
      stallMs,
    });

  const [namespaceKind, ...otherKinds] = trackedKinds;
  const namespaces = reflect(namespaceKind);
  // The other kinds begin when the tracked namespaces are known; until then everything would be held back.
  const namespacesListed = Promise.withResolvers<void>();
  const watchOthers = async (end: AbortSignal) => {
    await namespacesListed.promise;
    inNamespaces.push(...otherKinds.map(reflect));
    await together(
      end,
      inNamespaces.map(({ run }) => run),
    );
  };

  const save = (changes: readonly RowChange[]) => k8sResourceRepository.save(id, lease, changes);
  await together(signal, [
    (end) => namespaces.run(end, namespacesListed.resolve).finally(namespacesListed.resolve),
    watchOthers,
    (end) => writeChanges({ queue, log, save, onRefused: mirror.doubt }, end),
  ]);
}

interface SinkParts {
  readonly mirror: ClusterMirror;
  readonly queue: ChangeQueue;
  readonly kind: TrackedKind;
  readonly signal: AbortSignal;
}

/** Waits for room before each object, so that the watch goes no faster than the database. */
function sinkInto({ mirror, queue, kind, signal }: SinkParts): ReflectorSink {
  return {
    beginPass(namespace) {
      const pass = mirror.beginPass(kind, namespace);
      return {
        async saw(object) {
          await queue.waitForRoom(signal);
          pass.saw(object);
        },
        end: () => pass.end(),
      };
    },
    async put(object) {
      await queue.waitForRoom(signal);
      mirror.put(kind, object);
    },
    async remove(object) {
      await queue.waitForRoom(signal);
      mirror.remove(kind.kind, object);
    },
  };
}
