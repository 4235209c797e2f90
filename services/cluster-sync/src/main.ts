import { auditOfClusterSync } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { inTransactionOf } from '@berth/db/in-transaction';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { createAccountRepository } from './access/account-repository.ts';
import { clusterAccessHandlers } from './access/cluster-access-handlers.ts';
import { createPrepareCluster } from './access/prepare-cluster.ts';
import { clusterHandlers } from './clusters/cluster-handlers.ts';
import { createClusterMetrics } from './clusters/cluster-metrics.ts';
import { createClusterRepository } from './clusters/cluster-repository.ts';
import { observeClusters } from './clusters/observe-clusters.ts';
import { clusterStateHandlers } from './clusters/cluster-state-handlers.ts';
import { clusterUsageHandlers } from './clusters/cluster-usage-handlers.ts';
import { clusterSyncLoop } from './sync/cluster-sync-loop.ts';
import { flagSilentClusters } from './sync/flag-silent-clusters.ts';
import { Config } from './config.ts';
import { createCredentialRepository } from './credentials/credential-repository.ts';
import { deploymentCredentialsHandlers } from './credentials/deployment-credentials-handlers.ts';
import { createWriteCredentials } from './credentials/write-credentials.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import { createClusterDirectory } from './discovery/cluster-directory.ts';
import { kubeconfigWork } from './providers/kubeconfig-work.ts';
import { discoveryLoops } from './discovery/discovery-loops.ts';
import { deploymentNamespaceHandlers } from './entering/deployment-namespace-handlers.ts';
import { envProjection } from './envs/env-projection.ts';
import { clusterHealthHandlers } from './health/cluster-health-handlers.ts';
import { reportHealth } from './health/report-health.ts';
import { rollUpMarked } from './health/roll-up-marked.ts';
import { createRollUpRepository } from './health/roll-up-repository.ts';
import { bindGrants } from './grants/bind-grants.ts';
import { createBindingRepository } from './grants/binding-repository.ts';
import { grantHandlers } from './grants/grant-handlers.ts';
import { createGrantRepository } from './grants/grant-repository.ts';
import { k8sEventHandlers } from './live/events/k8s-event-handlers.ts';
import { readPodLog } from './live/pod-log/read-pod-log.ts';
import { liveClusters } from './live/live-clusters.ts';
import { createLostNamespaceRepository } from './lost-namespaces/lost-namespace-repository.ts';
import { reportLostNamespaces } from './lost-namespaces/report-lost-namespaces.ts';
import { adoptNamespace } from './namespaces/adopt-namespace.ts';
import { createNamespaceRepository } from './namespaces/namespace-repository.ts';
import { k8sResourceStateHandlers } from './resources/rows/k8s-resource-state-handlers.ts';
import { k8sResourceHandlers } from './resources/rows/k8s-resource-handlers.ts';
import { createK8sResourceRepository } from './resources/rows/k8s-resource-repository.ts';
import { createRedactRows } from './resources/rows/redact-rows.ts';
import { storeOf } from './store.ts';

const name = 'cluster-sync';

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
  maxConnections: 12,
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, use, loop }, config) => {
  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfClusterSync));

  const inTransaction = inTransactionOf(db, storeOf);
  const clusterRepository = createClusterRepository(db);
  const k8sResourceRepository = createK8sResourceRepository(db);
  const credentialRepository = createCredentialRepository(db);
  const namespaceRepository = createNamespaceRepository(db);
  const writeCredentials = createWriteCredentials({ bus, credentialRepository, namespaceRepository });
  const directory = use(createClusterDirectory());
  const clusterMetrics = createClusterMetrics(metrics);

  bus.serve(clusterHandlers({ inTransaction, clusterRepository, bus }));
  const readCluster = liveClusters({ clusterRepository, directory });
  const readLog = readPodLog({ bus, k8sResourceRepository, readCluster });
  bus.serve(k8sResourceHandlers({ k8sResourceRepository, readLog }));
  bus.serve(k8sEventHandlers({ readCluster, namespaceRepository }));
  bus.serve(k8sResourceStateHandlers({ k8sResourceRepository }));
  bus.serve(grantHandlers({ inTransaction, grantRepository: createGrantRepository(db), bus }));
  const rollUpRepository = createRollUpRepository(db);
  bus.serve(clusterHealthHandlers({ rollUpRepository }));
  bus.serve(clusterUsageHandlers({ clusterRepository }));
  bus.serve(clusterStateHandlers({ db }));
  const place = { bus, clusterRepository, directory };
  const bindingRepository = createBindingRepository(db);
  const accountRepository = createAccountRepository(db);
  bus.serve(
    deploymentNamespaceHandlers({
      ...config,
      ...place,
      namespaceRepository,
      accountRepository,
      prepareCluster: createPrepareCluster(config.deployersNamespace),
      bindingRepository,
      bindGrants: bindGrants({ bindingRepository }),
    }),
  );
  bus.serve(clusterAccessHandlers({ ...config, ...place }));
  bus.serve(
    deploymentCredentialsHandlers({ bus, clusterRepository, credentialRepository, directory, writeCredentials }),
  );

  loop('follow envs', envProjection.follow({ db, bus }));
  loop('follow deployments', deploymentProjection.follow({ db, bus }));
  const discovering = {
    clusterRepository,
    directory,
    kubeconfigs: use(kubeconfigWork()),
    log,
    ignoreNew: config.ignoreNew,
  };
  for (const discovery of discoveryLoops(discovering, config)) loop(...discovery);
  loop('flag silent clusters', every(2_000, flagSilentClusters({ clusterRepository })));
  loop('observe clusters', observeClusters({ clusterRepository, metrics: clusterMetrics }));
  loop('roll up health', every(1_000, rollUpMarked({ db })));
  loop('report health', every(1_000, reportHealth({ bus, rollUpRepository, log })));
  const lostNamespaceRepository = createLostNamespaceRepository(db);
  loop(
    'report lost namespaces',
    every(2_000, reportLostNamespaces({ bus, lostNamespaceRepository, namespaceRepository, readCluster, log })),
  );
  loop(
    'sync clusters',
    clusterSyncLoop({
      db,
      clusterRepository,
      k8sResourceRepository,
      directory,
      writeCredentials,
      adopt: adoptNamespace({ bus, namespaceRepository }),
      deployersNamespace: config.deployersNamespace,
      redactRows: createRedactRows({ bus }),
      metrics: clusterMetrics,
      log,
      resyncMs: config.resyncMs,
      writesPerSecond: config.credentialWritesPerSecond,
    }),
  );
});
