import { implement } from '@berth/bus/rpc/implement';
import { clusterState } from '@berth/contracts/resources/clusters/cluster-state';
import { K8sCluster, k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { rowState } from '@berth/contracts/fields/row-state';
import type { Queries } from '@berth/db/database';
import { rowStateNow } from '@berth/db/outbox/row-state';

export const clusterStateHandlers = ({ db }: { db: Queries }) =>
  implement(clusterState, {
    now: async ({ body }) => ({ cluster: await rowStateNow(db, k8sClusters, rowState(K8sCluster), body.cluster_id) }),
  });
