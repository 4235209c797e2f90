import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import type { Database } from '@berth/db/database';
import { inTransactionOf } from '@berth/db/in-transaction';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { sql } from 'slonik';
import { createAccountRepository } from '../../src/access/account-repository.ts';
import { clusterAccessHandlers } from '../../src/access/cluster-access-handlers.ts';
import { usualDeployersNamespace } from '../../src/access/deployer-account.ts';
import { createPrepareCluster } from '../../src/access/prepare-cluster.ts';
import { clusterHandlers } from '../../src/clusters/cluster-handlers.ts';
import { createClusterRepository } from '../../src/clusters/cluster-repository.ts';
import { clusterStateHandlers } from '../../src/clusters/cluster-state-handlers.ts';
import { clusterUsageHandlers } from '../../src/clusters/cluster-usage-handlers.ts';
import { createCredentialRepository } from '../../src/credentials/credential-repository.ts';
import { deploymentCredentialsHandlers } from '../../src/credentials/deployment-credentials-handlers.ts';
import { createWriteCredentials, type WriteCredentials } from '../../src/credentials/write-credentials.ts';
import { type ClusterDirectory, createClusterDirectory } from '../../src/discovery/cluster-directory.ts';
import { deploymentNamespaceHandlers } from '../../src/entering/deployment-namespace-handlers.ts';
import { bindGrants } from '../../src/grants/bind-grants.ts';
import { createBindingRepository } from '../../src/grants/binding-repository.ts';
import { grantHandlers } from '../../src/grants/grant-handlers.ts';
import { createGrantRepository } from '../../src/grants/grant-repository.ts';
import { k8sEventHandlers } from '../../src/live/events/k8s-event-handlers.ts';
import { readPodLog } from '../../src/live/pod-log/read-pod-log.ts';
import { liveClusters } from '../../src/live/live-clusters.ts';
import { createNamespaceRepository } from '../../src/namespaces/namespace-repository.ts';
import { k8sResourceStateHandlers } from '../../src/resources/rows/k8s-resource-state-handlers.ts';
import { k8sResourceHandlers } from '../../src/resources/rows/k8s-resource-handlers.ts';
import { createK8sResourceRepository } from '../../src/resources/rows/k8s-resource-repository.ts';
import { type Neighbours, startNeighbours } from './neighbours.ts';
import { storeOf } from '../../src/store.ts';

export interface ServiceInTest extends Neighbours {
  readonly db: Database;
  readonly nats: TestNats;
  /** The connection of the service itself. */
  readonly bus: Bus;
  readonly directory: ClusterDirectory;
  readonly writeCredentials: WriteCredentials;
  addCluster(cluster: { name: string; envId: string | null }): Promise<string>;
  addResource(resource: { clusterId: string; deploymentId: string; kind: string; name: string }): Promise<string>;
}

const migrations = new URL('../../migrations/', import.meta.url);

/** The operations of the service on a real bus and a real database, without loops. */
export async function startServiceInTest(): Promise<ServiceInTest> {
  const stack = new AsyncDisposableStack();
  const { db } = stack.use(await openTestDatabase({ service: 'cluster-sync', migrations }));
  const nats = stack.use(await startTestNats());
  const neighbours = stack.use(await startNeighbours(nats));
  const bus = stack.use(await connectTestBus(nats, 'cluster-sync'));

  const inTransaction = inTransactionOf(db, storeOf);
  const clusterRepository = createClusterRepository(db);
  const directory = stack.use(createClusterDirectory());
  const credentialRepository = createCredentialRepository(db);
  const namespaceRepository = createNamespaceRepository(db);
  const writeCredentials = createWriteCredentials({ bus, credentialRepository, namespaceRepository });
  bus.serve(
    deploymentCredentialsHandlers({ bus, clusterRepository, credentialRepository, directory, writeCredentials }),
  );
  bus.serve(clusterHandlers({ inTransaction, clusterRepository, bus }));
  const readCluster = liveClusters({
    clusterRepository,
    directory,
    limits: { perCluster: 2, total: 3, perIdentity: 3 },
  });
  const k8sResourceRepository = createK8sResourceRepository(db);
  const logTimes = { openMs: 3_000, quietMs: 100, gatherMs: 20 };
  const readLog = readPodLog({ bus, k8sResourceRepository, readCluster, logTimes });
  bus.serve(k8sResourceHandlers({ k8sResourceRepository, readLog }));
  bus.serve(k8sEventHandlers({ readCluster, namespaceRepository, maxEvents: 250 }));
  bus.serve(k8sResourceStateHandlers({ k8sResourceRepository: createK8sResourceRepository(db) }));
  bus.serve(grantHandlers({ inTransaction, grantRepository: createGrantRepository(db), bus }));
  bus.serve(clusterUsageHandlers({ clusterRepository }));
  bus.serve(clusterStateHandlers({ db }));
  const place = { bus, clusterRepository, directory, ownCredentials: new Set(['test:own']) };
  const transition = {
    sharesAccount: (providerId: string) => providerId === 'test:shared',
    sharedAccount: { namespace: 'berth-system', name: 'berth-runner' },
    accessSeconds: 600,
  };
  const bindingRepository = createBindingRepository(db);
  bus.serve(clusterAccessHandlers({ ...place, ...transition }));
  bus.serve(
    deploymentNamespaceHandlers({
      ...place,
      ...transition,
      namespaceRepository,
      accountRepository: createAccountRepository(db),
      prepareCluster: createPrepareCluster(usualDeployersNamespace),
      deployersNamespace: usualDeployersNamespace,
      bindingRepository,
      bindGrants: bindGrants({ bindingRepository }),
      podSecurity: 'baseline',
    }),
  );

  return Object.assign(neighbours, {
    db,
    nats,
    bus,
    directory,
    writeCredentials,
    async addCluster({ name, envId }: { name: string; envId: string | null }) {
      const id = randomUUID();
      await db.query(sql.unsafe`
        insert into k8s_clusters (id, provider_id, name, region_name, ignore, env_id)
        values (${id}, ${`test:${name}`}, ${name}, 'here', false, ${envId})
      `);
      return id;
    },
    async addResource({ clusterId, deploymentId, kind, name }: Parameters<ServiceInTest['addResource']>[0]) {
      const id = randomUUID();
      await db.query(sql.unsafe`
        insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
          namespace, fingerprint)
        values (${id}, ${clusterId}, ${deploymentId}, ${kind}, 'v1', ${name}, '{}', '{}', ${id}, 'ns', 'f')
      `);
      return id;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}
