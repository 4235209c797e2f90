import { implement } from '@berth/bus/rpc/implement';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { placeOf } from '../engine/deployments/place-of.ts';
import { recordLostNamespace } from './record-lost-namespace.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface DeploymentPlaceHandlersDeps {
  store: Pick<ReadingStore, 'deployments' | 'projected'>;
  inTransaction: InTransaction;
}

export const deploymentPlaceHandlers = ({ store, inTransaction }: DeploymentPlaceHandlersDeps) =>
  implement(deploymentPlace, {
    now: async ({ body }) => {
      const record = await store.deployments.record(body.deployment_id);
      if (!record) return { deployment: null };
      const { id, kind_id, status, revision_id } = record;
      const place = placeOf(record);
      const isWanted = place.cluster_id === record.cluster_id;
      const env_id = (isWanted ? null : await store.projected.envOfCluster(place.cluster_id)) ?? record.env_id;
      return { deployment: { id, kind_id, env_id, status, revision_id, ...place } };
    },

    report_lost: async ({ body }) => ({ recorded: await inTransaction((tx) => recordLostNamespace(tx, body)) }),
  });
