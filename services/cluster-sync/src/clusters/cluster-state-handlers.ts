import { implement } from '@berth/shared/bus/implement';
import { clusterState } from '@berth/shared/contracts/cluster-state';
import { K8sCluster, k8sClusters } from '@berth/shared/contracts/k8s-clusters';
import { rowState } from '@berth/shared/contracts/row-state';
import type { Queries } from '@berth/shared/db/database';
import { rowStateNow } from '@berth/shared/db/row-state';

export const clusterStateHandlers = ({ db }: { db: Queries }) =>
  implement(clusterState, {
    now: async ({ body }) => ({ cluster: await rowStateNow(db, k8sClusters, rowState(K8sCluster), body.cluster_id) }),
  });
