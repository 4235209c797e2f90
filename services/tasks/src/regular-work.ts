import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { maskOlderTasks } from './actions/mask-older-tasks.ts';
import { followSilence } from './health/follow-silence.ts';
import { readOlderRuns } from './installed/read-older-runs.ts';
import { observeQueue } from './metrics/observe-queue.ts';
import { sweepResources } from './resources/sweep-resources.ts';
import { taskRetention } from './retention/task-retention.ts';
import { followPolled, refollowPolled } from './status/follow-polled.ts';
import { sweepLeases } from './tasks/claims/sweep-leases.ts';
import type { Parts } from './parts.ts';

/** The loops of the service, by the names under which they are logged. */
export function regularWork(parts: Parts): Record<string, Loop> {
  const { config, db, bus, log, store, inTransaction, dueWatch, policy, metrics } = parts;
  const { secretKeys, retention } = config;
  const { notifyRunners } = dueWatch;

  return {
    'wake runners when due': dueWatch.watch,
    'take back expired claims': every(
      1_000,
      sweepLeases({ store, inTransaction, policy, notifyRunners, log, metrics }),
    ),
    'follow polled deployments': every(2_000, followPolled({ inTransaction })),
    'follow all polled deployments': every(60_000, refollowPolled({ db, store })),
    'follow silent clusters': every(2_000, followSilence({ store, inTransaction, bus, log })),
    'sweep resources': every(5_000, sweepResources({ inTransaction, secretKeys })),
    'forget dry runs': every(10_000, async () => void (await store.dryRuns.removeOver())),
    'add up numbers of tasks and deployments': every(30_000, async () => void (await store.counts.addUp(5_000))),
    'observe the queue': observeQueue({ store, metrics }),
    'remove old tasks': taskRetention({ db, store, inTransaction, retention, log, countRemoved: metrics.removed }),
    'mask inputs of older tasks': every(60_000, maskOlderTasks({ inTransaction, secretKeys })),
    'read runs of the version before': every(60_000, readOlderRuns({ store, inTransaction })),
  };
}
