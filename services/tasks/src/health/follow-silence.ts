import type { Bus } from '@berth/bus/bus';
import { clusterHealth, mostRepeated } from '@berth/contracts/resources/clusters/cluster-health';
import { isOutage } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { clusterSilence } from '../engine/health/cluster-silence.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface FollowSilenceDeps {
  store: Pick<ReadingStore, 'health'>;
  inTransaction: InTransaction;
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
}

const batch = 200;

/**
 * Makes the health of the deployments of silent and ignored clusters unknown. Once a cluster answers again, `cluster-sync` is asked to
 * report them until it has: what was reported before may no longer be true.
 */
export const followSilence =
  ({ store, inTransaction, bus, log }: FollowSilenceDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const answering = new Set<string>();
    for (const { id, now, ...cluster } of await store.health.clusters()) {
      const silence = clusterSilence(cluster, now);
      if (!silence) answering.add(id);
      else {
        const hide = () => inTransaction(({ healthChanges }) => healthChanges.hide(id, silence, batch));
        while (!signal.aborted && (await hide()) === batch);
      }
    }

    for (const cluster_id of await store.health.clustersOfUnknown()) {
      if (signal.aborted || !answering.has(cluster_id)) continue;
      const deployment_ids = await store.health.unknownOn(cluster_id, mostRepeated);
      try {
        const { absent } = await bus.call(clusterHealth.operations.repeat, { body: { cluster_id, deployment_ids } });
        await inTransaction(({ healthChanges }) => healthChanges.forget(cluster_id, absent));
      } catch (error) {
        if (!isOutage(error)) throw error;
        log.debug({ err: error, cluster_id }, 'the health of deployments cannot be asked for yet');
      }
    }
  };
