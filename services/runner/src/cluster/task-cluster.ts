import { Bug } from '@berth/contracts/errors';
import { transient } from '../outcome/task-failure.ts';
import type { ClusterAccess } from './cluster-entry.ts';
import type { Capabilities } from '../helm/helm-arguments.ts';
import { type ClusterClient, createClusterClient } from './cluster-client.ts';
import { readCapabilities } from './read-capabilities.ts';

/** The reads that explain a wait. */
export type ClusterReader = Pick<
  ClusterClient,
  'listSome' | 'readWorkload' | 'releaseRevisions' | 'readSecret' | 'findKind' | 'readObject'
>;

/** The cluster of a run: the runner's own client, and the kubeconfig for Helm. */
export interface TaskCluster {
  readonly client: ClusterClient;
  /** A read-only client with its own signal, for reads beside the run. */
  reader(signal: AbortSignal): ClusterReader;
  /** For a rendering that does not read the cluster. */
  capabilities(): Promise<Capabilities>;
  readonly kubeconfig: string;
  /** Transition: objects that a chart may not have are reported instead of refused. */
  readonly isShared: boolean;
  readonly isOfOtherEnv: boolean;
}

export interface TaskClusterDeps {
  lease: { isLost(): boolean };
  /** Ends every call. */
  signal: AbortSignal;
}

/** The client refuses to write once the claim is lost. */
export const taskCluster = (
  { api, kubeconfig, isShared, isOfOtherEnv }: ClusterAccess,
  { lease, signal }: TaskClusterDeps,
): TaskCluster => ({
  kubeconfig,
  isShared,
  isOfOtherEnv,
  capabilities: () => readCapabilities(api, signal),
  reader: (until) =>
    createClusterClient({
      api,
      signal: until,
      beforeWrite: () => {
        throw new Bug('A cluster client that may only read was used to write');
      },
    }),
  client: createClusterClient({
    api,
    signal,
    beforeWrite: () => {
      signal.throwIfAborted();
      if (lease.isLost()) throw transient('The claim of the task expired');
    },
  }),
});
