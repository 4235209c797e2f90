import { implement } from '@berth/shared/bus/rpc/implement';
import { clusterState } from '@berth/shared/contracts/resources/cluster-state';
import { K8sCluster, k8sClusters } from '@berth/shared/contracts/resources/k8s-clusters';
import { rowState } from '@berth/shared/contracts/resources/row-state';
import type { Queries } from '@berth/shared/db/database';
import { rowStateNow } from '@berth/shared/db/outbox/row-state';

export const clusterStateHandlers = ({ db }: { db: Queries }) =>
  implement(clusterState, {
    now: async ({ body }) => ({ cluster: await rowStateNow(db, k8sClusters, rowState(K8sCluster), body.cluster_id) }),
  });
