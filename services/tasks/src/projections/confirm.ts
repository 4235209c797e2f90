import type { Bus } from '@berth/bus/bus';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import type { StateMessage } from '@berth/bus/state/publish-state';
import { catalogueState } from '@berth/contracts/resources/charts/catalogue-state';
import { clusterState } from '@berth/contracts/resources/clusters/cluster-state';
import type { Resource } from '@berth/contracts/definition/contract';
import { envs } from '@berth/contracts/resources/envs/envs';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import type { Database } from '@berth/db/database';
import type { Projection } from '@berth/db/projections/projection';
import { k8sResourceState, type TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { AppError, named } from '@berth/contracts/errors';
import type { Projections } from './projections.ts';

/** The part of a request's context that calls to other services need. */
export interface RequestScope {
  readonly requestId: string;
  remainingMs(): number;
}

/**
 * Reads the present rows from their owners and applies them to our projections, like messages of the stream. Decisions made
 * afterwards, under a lock of the projection's row, do not depend on the lag.
 */
export interface Confirm {
  cluster(id: string, scope: RequestScope): Promise<void>;
  /** Checks that the env exists and the caller sees it; 422 for the field at `path` otherwise. Updates no projection. */
  env(id: string, path: string, scope: RequestScope & { readonly identityToken: string | undefined }): Promise<void>;
  /** The Kubernetes object of a tracked resource; null if it is no longer tracked. */
  trackedObject(resource_id: string, scope: RequestScope): Promise<TrackedObject | null>;
  /** A chart with its registry, a kind, or both. */
  catalogue(
    named: { helm_chart_id?: string | undefined; kind_id?: string | undefined },
    scope: RequestScope,
  ): Promise<void>;
}

export interface ConfirmDeps {
  db: Database;
  bus: Pick<Bus, 'call'>;
  projections: Pick<Projections, 'clusters' | 'charts' | 'registries' | 'kinds'>;
}

export function createConfirm({ db, bus, projections }: ConfirmDeps): Confirm {
  const take = async (projection: Projection, { name }: Resource, state: Answer | null): Promise<void> => {
    if (state) await projection.apply(db, { ...state, resource: name, id: state.row.id });
  };

  return {
    async cluster(cluster_id, scope) {
      const { now } = clusterState.operations;
      const { cluster } = await bus
        .call(now, { body: { cluster_id } }, onBehalfOf(scope))
        .catch(outage('The env of the cluster could not be confirmed'));
      await take(projections.clusters, k8sClusters, cluster);
    },

    async env(id, path, scope) {
      const env = await bus
        .call(envs.operations.get, { id }, { ...onBehalfOf(scope), identityToken: scope.identityToken })
        .catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'not_found') return null;
          return outage('The env could not be confirmed')(error);
        });
      named(env, path, envs.singular);
    },

    async trackedObject(resource_id, scope) {
      const { now } = k8sResourceState.operations;
      const { resource } = await bus
        .call(now, { body: { resource_id } }, onBehalfOf(scope))
        .catch(outage('The resource could not be confirmed'));
      return resource;
    },

    async catalogue(wanted, scope) {
      const { now } = catalogueState.operations;
      const { chart, registry, kind } = await bus
        .call(now, { body: wanted }, onBehalfOf(scope))
        .catch(outage('The chart could not be confirmed'));
      await take(projections.kinds, deploymentKinds, kind);
      await take(projections.registries, helmRegistries, registry);
      await take(projections.charts, helmCharts, chart);
    },
  };
}

type Answer = Pick<StateMessage<{ id: string }>, 'version' | 'operation' | 'env_id' | 'row'>;

/** Leaves time for the change that follows. */
const onBehalfOf = ({ requestId, remainingMs }: RequestScope): CallOptions => ({
  requestId,
  deadlineMs: Math.min(2_000, remainingMs() - 500),
});

const outage =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.status < 500) throw error;
    throw new AppError('unavailable', `${what}: its service does not answer. Try again`, { cause: error });
  };
