import { clusterStateHandlers } from './clusters/cluster-state-handlers.ts';
import { clusterUsageHandlers } from './clusters/cluster-usage-handlers.ts';
import { clusterHealthHandlers } from './health/cluster-health-handlers.ts';
import { k8sEventHandlers } from './live/events/k8s-event-handlers.ts';
import type { Parts } from './parts.ts';
import { k8sResourceStateHandlers } from './resources/rows/k8s-resource-state-handlers.ts';

/** The questions of auth and tasks. */
export function serveServices(parts: Parts): void {
  const { db, bus, clusterRepository, k8sResourceRepository, namespaceRepository, rollUpRepository, readCluster } =
    parts;

  bus.serve(clusterStateHandlers({ db }));
  bus.serve(clusterUsageHandlers({ clusterRepository }));
  bus.serve(clusterHealthHandlers({ rollUpRepository }));
  bus.serve(k8sResourceStateHandlers({ k8sResourceRepository }));
  bus.serve(k8sEventHandlers({ readCluster, namespaceRepository }));
}
