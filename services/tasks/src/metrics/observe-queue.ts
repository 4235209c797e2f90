import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { ReadingStore } from '../store/store.ts';
import { namedDeployments, type TaskMetrics } from './task-metrics.ts';

/** All replicas report the same queue and the same health: aggregate them with the maximum, not the sum. */
export const observeQueue = ({
  store,
  metrics,
}: {
  store: Pick<ReadingStore, 'waitFacts' | 'health'>;
  metrics: Pick<TaskMetrics, 'queue' | 'health'>;
}): Loop =>
  every(15_000, async () => {
    metrics.queue(await store.waitFacts.depths());
    metrics.health(await store.health.counts(), await store.health.degraded(namedDeployments));
  });
