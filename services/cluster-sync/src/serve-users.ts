import { clusterHandlers } from './clusters/cluster-handlers.ts';
import { grantHandlers } from './grants/grant-handlers.ts';
import { createGrantRepository } from './grants/grant-repository.ts';
import { readPodLog } from './live/pod-log/read-pod-log.ts';
import type { Parts } from './parts.ts';
import { k8sResourceHandlers } from './resources/rows/k8s-resource-handlers.ts';

/** The resources of the public API. */
export function serveUsers(parts: Parts): void {
  const { db, bus, inTransaction, clusterRepository, k8sResourceRepository, readCluster } = parts;
  const readLog = readPodLog({ bus, k8sResourceRepository, readCluster });

  bus.serve(clusterHandlers({ inTransaction, clusterRepository, bus }));
  bus.serve(k8sResourceHandlers({ k8sResourceRepository, readLog }));
  bus.serve(grantHandlers({ inTransaction, grantRepository: createGrantRepository(db), bus }));
}
