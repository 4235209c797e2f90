import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { queriesInTurn } from '@berth/db/postgres/queries-in-turn';
import type { Loop } from '@berth/service/service';
import { atMost } from '@berth/service/waiting/at-most';
import { clusterLeaseTimes, shareTimes } from '../clusters/cluster-lease-times.ts';
import { type ClusterRepository, createClusterRepository } from '../clusters/cluster-repository.ts';
import { leaseNameOf } from '../clusters/lease-name-of.ts';
import { createCredentialRepository } from '../credentials/credential-repository.ts';
import { createAccountRepository } from '../access/account-repository.ts';
import { createBindingRepository } from '../grants/binding-repository.ts';
import { createNamespaceRepository } from '../namespaces/namespace-repository.ts';
import { createFollowedRepository } from '../health/followed-repository.ts';
import { queueRoom } from '../resources/rows/change-queue.ts';
import { createK8sResourceRepository } from '../resources/rows/k8s-resource-repository.ts';
import { type SaveInGroupsDeps, saveInGroups } from '../resources/rows/save-in-groups.ts';
import { clusterShare } from './cluster-share.ts';
import { type SyncClusterDeps, syncCluster } from './sync-cluster.ts';
import { type SyncClustersDeps, syncClusters } from './sync-clusters.ts';

interface ClusterSyncLoop
  extends Pick<SyncClustersDeps, 'directory' | 'log'>,
    Pick<
      SyncClusterDeps,
      'writeCredentials' | 'adopt' | 'deployersNamespace' | 'redactRows' | 'metrics' | 'resyncMs' | 'writesPerSecond'
    > {
  readonly db: Database;
  readonly clusterRepository: Pick<ClusterRepository, 'all'>;
  readonly k8sResourceRepository: SaveInGroupsDeps;
}

/**
 * Syncs all clusters whose leases this process gets. There are hundreds of clusters but tens of database connections, so syncing
 * waits for its turn and leaves some connections to requests. Leases have separate turns, because they must not wait.
 */
export function clusterSyncLoop({
  db,
  clusterRepository,
  k8sResourceRepository,
  directory,
  log,
  ...given
}: ClusterSyncLoop): Loop {
  const forLeases = queriesInTurn(db, atMost(3, { holdMs: 10_000 }));
  const forClusters = queriesInTurn(db, atMost(2, { holdMs: 10_000 }));
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const deps: SyncClusterDeps = {
    ...given,
    clusterRepository: createClusterRepository(forClusters),
    k8sResourceRepository: createK8sResourceRepository(forClusters),
    credentialRepository: createCredentialRepository(forClusters),
    bindingRepository: createBindingRepository(forClusters),
    namespaceRepository: createNamespaceRepository(forClusters),
    accountRepository: createAccountRepository(forClusters),
    everyMs: 60_000,
    log,
    probeMs: 15_000,
    stallMs: 90_000,
    readMs: 10_000,
    betweenWritesMs: 15_000,
    saveChanges: saveInGroups(k8sResourceRepository),
    saveFollowed: createFollowedRepository(forClusters).save,
    // The longest that a cluster with hanging lists delays the others.
    listInTurn: atMost(4, { awayMs: 2_000 }),
    queueRoom: queueRoom(600),
  };
  const share = clusterShare({ db: forLeases, log, holder, ...shareTimes });
  const sync = syncClusters({
    clusterRepository,
    directory,
    log,
    refreshMs: 1_000,
    leaseRetryMs: clusterLeaseTimes.retryMs,
    keepMs: 600_000,
    mostOf: share.mostOf,
    whileHolding: (id, options, work) =>
      whileHolding(forLeases, { name: leaseNameOf(id), holder, ...clusterLeaseTimes, ...options }, work),
    sync: (cluster, signal) => syncCluster(deps, cluster, signal),
  });
  return async (signal) => {
    await Promise.all([sync(signal), share.keep(signal)]);
  };
}
