import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { observeClusters } from './clusters/observe-clusters.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import { discoveryLoops } from './discovery/discovery-loops.ts';
import { envProjection } from './envs/env-projection.ts';
import { reportHealth } from './health/report-health.ts';
import { rollUpMarked } from './health/roll-up-marked.ts';
import { createLostNamespaceRepository } from './lost-namespaces/lost-namespace-repository.ts';
import { reportLostNamespaces } from './lost-namespaces/report-lost-namespaces.ts';
import { adoptNamespace } from './namespaces/adopt-namespace.ts';
import type { Parts } from './parts.ts';
import { kubeconfigWork } from './providers/kubeconfig-work.ts';
import { createRedactRows } from './resources/rows/redact-rows.ts';
import { clusterSyncLoop } from './sync/cluster-sync-loop.ts';
import { flagSilentClusters } from './sync/flag-silent-clusters.ts';

/** The loops of the service, by the names under which they are logged. */
export function regularWork(parts: Parts): Record<string, Loop> {
  const { config, db, bus, log, use, metrics } = parts;
  const { clusterRepository, namespaceRepository, rollUpRepository, directory, readCluster } = parts;
  const discovering = {
    clusterRepository,
    directory,
    kubeconfigs: use(kubeconfigWork()),
    log,
    ignoreNew: config.ignoreNew,
  };
  const lostNamespaceRepository = createLostNamespaceRepository(db);

  return {
    'follow envs': envProjection.follow({ db, bus }),
    'follow deployments': deploymentProjection.follow({ db, bus }),
    ...Object.fromEntries(discoveryLoops(discovering, config)),
    'sync clusters': clusterSyncLoop({
      db,
      clusterRepository,
      k8sResourceRepository: parts.k8sResourceRepository,
      directory,
      writeCredentials: parts.writeCredentials,
      adopt: adoptNamespace({ bus, namespaceRepository }),
      deployersNamespace: config.deployersNamespace,
      redactRows: createRedactRows({ bus }),
      metrics,
      log,
      resyncMs: config.resyncMs,
      writesPerSecond: config.credentialWritesPerSecond,
    }),
    'flag silent clusters': every(2_000, flagSilentClusters({ clusterRepository })),
    'observe clusters': observeClusters({ clusterRepository, metrics }),
    'roll up health': every(1_000, rollUpMarked({ db })),
    'report health': every(1_000, reportHealth({ bus, rollUpRepository, log })),
    'report lost namespaces': every(
      2_000,
      reportLostNamespaces({ bus, lostNamespaceRepository, namespaceRepository, readCluster, log }),
    ),
  };
}
