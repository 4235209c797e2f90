import { implement } from '@berth/bus/rpc/implement';
import { k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import type { ReadCluster } from '../live-clusters.ts';
import { readK8sEvents } from './read-k8s-events.ts';

export interface K8sEventHandlersDeps {
  readonly readCluster: ReadCluster;
  readonly maxEvents?: number;
}

export const k8sEventHandlers = ({ readCluster, maxEvents = 2_000 }: K8sEventHandlersDeps) =>
  implement(k8sEvents, {
    list: ({ body }, { signal }) =>
      readCluster(body.cluster_id, (api) => readK8sEvents(api, body, { signal, maxEvents })),
  });
