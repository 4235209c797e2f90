import type { Lease } from '@berth/db/leases/lease';
import type { KubeApi } from '@berth/kube/kube-api';
import { atMost, type InTurn } from '@berth/service/waiting/at-most';
import type { Service } from '@berth/service/service';
import type { ClusterExcess } from '../clusters/cluster-excess.ts';
import { cpuShare } from '../kube/cpu-share.ts';
import {
  createNamespaceOwners,
  type NamespaceOwners,
  type NamespaceOwnersDeps,
} from '../namespaces/namespace-owners.ts';
import { followedFlag } from '../health/followed-flag.ts';
import { createReflector, type Reflector, type ReflectorSink } from '../reflector/reflector.ts';
import { runTogether } from '../reflector/run-together.ts';
import { type ChangeQueue, createChangeQueue, type QueueRoom } from './rows/change-queue.ts';
import { type ClusterMirror, createClusterMirror } from './mirror/cluster-mirror.ts';
import type { K8sResourceRepository } from './rows/k8s-resource-repository.ts';
import { type TrackedKind, trackedKinds } from './objects/tracked-kinds.ts';
import type { RedactRows } from './rows/redact-rows.ts';
import type { SaveChanges } from './rows/save-in-groups.ts';
import { writeChanges, type WriteChangesDeps } from './rows/write-changes.ts';

export interface WatchClusterDeps extends NamespaceOwnersDeps {
  readonly k8sResourceRepository: Pick<K8sResourceRepository, 'known'>;
  readonly saveChanges: SaveChanges;
  readonly redactRows: RedactRows;
  /** Writes whether the rows of a cluster are what its watches show. */
  readonly saveFollowed: (lease: Lease, clusterId: string, followed: boolean) => Promise<unknown>;
  readonly log: Service['log'];
  readonly resyncMs: number;
  readonly stallMs: number;
  /** Shared by all clusters: a page of a list takes megabytes while it is read. */
  readonly listInTurn: InTurn;
  /** Shared by all clusters: lists that are read faster than they are written would fill the memory. */
  readonly queueRoom: QueueRoom;
}

export interface WatchedCluster {
  readonly id: string;
  readonly api: KubeApi;
  readonly lease: Lease;
  readonly excess?: Pick<ClusterExcess, 'note'>;
}

/** Per cluster, of rows of up to 32 KiB: two batches, so that one fills while the other is written. */
const queueLimit = 200;

/**
 * Tracks the objects in the namespaces of deployments of one cluster until the signal aborts. It runs one watch per kind
 * for the whole cluster: one per namespace would be thousands. Throws `ClusterLeaseLost` when another replica has the lease.
 */
export async function watchCluster(
  deps: WatchClusterDeps,
  { id, api, lease, excess }: WatchedCluster,
  signal: AbortSignal,
): Promise<void> {
  const { k8sResourceRepository, saveChanges, log, resyncMs, stallMs } = deps;
  const queue = createChangeQueue(queueLimit, deps.queueRoom);
  const reflectors: Reflector[] = [];
  const owners = await createNamespaceOwners(deps, id);
  const mirror = createClusterMirror({
    clusterId: id,
    ownerOf: owners.of,
    known: await k8sResourceRepository.known(id),
    queue,
    log,
    onNamespace: (namespace) => {
      for (const reflector of reflectors) reflector.include(namespace);
    },
  });

  const followed = followedFlag({
    kinds: trackedKinds.map(({ kind }) => kind),
    save: (isFollowed) => deps.saveFollowed(lease, id, isFollowed),
  });
  const cpu = cpuShare();
  const ownTurn = atMost(1);
  const listInTurn: InTurn = (work) => ownTurn(() => deps.listInTurn(work));
  const reflect = (kind: TrackedKind) =>
    createReflector({
      api,
      path: `${kind.root}/${kind.plural}`,
      pathIn: (namespace) => `${kind.root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`,
      sink: sinkInto({ mirror, queue, kind, owners }),
      listInTurn,
      cpu,
      onExcess: (reason) => excess?.note(kind.kind, reason),
      onCurrent: (isCurrent) => followed.note(kind.kind, isCurrent),
      log: log.child({ kind: kind.kind }),
      resyncMs,
      stallMs,
    });

  const [namespaceKind, ...otherKinds] = trackedKinds;
  const namespaces = reflect(namespaceKind);
  // The other kinds start when the namespaces are known; until then everything would be held back.
  const namespacesListed = Promise.withResolvers<void>();
  const watchOthers = async (end: AbortSignal) => {
    await namespacesListed.promise;
    reflectors.push(...otherKinds.map(reflect));
    await runTogether(
      end,
      reflectors.map(({ run }) => run),
    );
  };

  const save: WriteChangesDeps['save'] = async (changes) =>
    saveChanges({ clusterId: id, lease, changes: await deps.redactRows(changes) });
  await runTogether(signal, [
    (end) => namespaces.run(end, namespacesListed.resolve).finally(namespacesListed.resolve),
    watchOthers,
    followed.run,
    (end) => writeChanges({ queue, log, save, onRefused: mirror.invalidate }, end),
  ]).finally(queue.clear);
}

interface SinkParts {
  readonly mirror: ClusterMirror;
  readonly queue: ChangeQueue;
  readonly kind: TrackedKind;
  readonly owners: Pick<NamespaceOwners, 'refresh'>;
}

/** Waits for room before each object, so that the watch is no faster than the database. */
function sinkInto({ mirror, queue, kind, owners }: SinkParts): ReflectorSink {
  const refreshOwner = async (object: unknown) => (kind.kind === 'Namespace' ? owners.refresh(object) : undefined);
  return {
    beginPass(namespace) {
      const pass = mirror.beginPass(kind, namespace);
      return {
        async add(object, signal) {
          await queue.waitForSharedRoom(signal);
          await refreshOwner(object);
          pass.add(object);
        },
        end: () => pass.end(),
      };
    },
    async put(object, signal) {
      await queue.waitForRoom(signal);
      await refreshOwner(object);
      mirror.put(kind, object);
    },
    async remove(object, signal) {
      await queue.waitForRoom(signal);
      mirror.remove(kind.kind, object);
    },
  };
}
