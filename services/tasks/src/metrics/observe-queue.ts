import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { ReadingStore } from '../store/store.ts';
import type { TaskMetrics } from './task-metrics.ts';

/** All replicas report the same queue: aggregate them with the maximum, not the sum. */
export const observeQueue = ({
  store,
  metrics,
}: {
  store: Pick<ReadingStore, 'waitFacts'>;
  metrics: Pick<TaskMetrics, 'queue'>;
}): Loop => every(15_000, async () => metrics.queue(await store.waitFacts.depths()));
