import type { Bus } from '@berth/bus/bus';
import type { Database } from '@berth/db/database';
import { inTransactionOf } from '@berth/db/in-transaction';
import type { Service } from '@berth/service/service';
import { createClusterMetrics } from './clusters/cluster-metrics.ts';
import { createClusterRepository } from './clusters/cluster-repository.ts';
import type { Config } from './config.ts';
import { createCredentialRepository } from './credentials/credential-repository.ts';
import { createWriteCredentials } from './credentials/write-credentials.ts';
import { createClusterDirectory } from './discovery/cluster-directory.ts';
import { createRollUpRepository } from './health/roll-up-repository.ts';
import { liveClusters } from './live/live-clusters.ts';
import { createNamespaceRepository } from './namespaces/namespace-repository.ts';
import { createK8sResourceRepository } from './resources/rows/k8s-resource-repository.ts';
import { storeOf } from './store.ts';

interface Connected extends Pick<Service, 'log' | 'metrics' | 'use'> {
  db: Database;
  bus: Bus;
}

/** What the handlers and loops of the service are made of. */
export type Parts = ReturnType<typeof createParts>;

export function createParts({ db, bus, log, metrics, use }: Connected, config: Config) {
  const clusterRepository = createClusterRepository(db);
  const credentialRepository = createCredentialRepository(db);
  const namespaceRepository = createNamespaceRepository(db);
  const directory = use(createClusterDirectory());
  return {
    config,
    db,
    bus,
    log,
    use,
    inTransaction: inTransactionOf(db, storeOf),
    clusterRepository,
    credentialRepository,
    namespaceRepository,
    k8sResourceRepository: createK8sResourceRepository(db),
    rollUpRepository: createRollUpRepository(db),
    directory,
    readCluster: liveClusters({ clusterRepository, directory }),
    writeCredentials: createWriteCredentials({ bus, credentialRepository, namespaceRepository }),
    metrics: createClusterMetrics(metrics),
  };
}
