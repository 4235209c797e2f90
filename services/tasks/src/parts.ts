import type { Bus } from '@berth/bus/bus';
import type { Database } from '@berth/db/database';
import type { Service } from '@berth/service/service';
import { heldItemReaders, itemReaders } from './collections/item-readers.ts';
import type { Config } from './config.ts';
import type { DeploymentsDeps } from './deployments/deployments-deps.ts';
import { createTaskMetrics } from './metrics/task-metrics.ts';
import { createConfirm } from './projections/confirm.ts';
import { createProjections } from './projections/projections.ts';
import { createRedactTexts } from './shown/redact-texts.ts';
import { createKnownIndexes } from './shown/known-indexes.ts';
import { inTransactionOf, readingStore } from './store/store.ts';
import { createDueWatch } from './tasks/claims/due-watch.ts';
import { taskHints } from './tasks/task-hints.ts';

interface Connected extends Pick<Service, 'log' | 'metrics' | 'signal'> {
  db: Database;
  bus: Bus;
}

/** What the handlers and loops of the service are made of. */
export type Parts = ReturnType<typeof createParts>;

export function createParts({ db, bus, log, metrics, signal }: Connected, config: Config) {
  const { secretKeys, reserved } = config;
  const store = readingStore(db);
  const inTransaction = inTransactionOf(db);
  const hints = taskHints(bus);
  const dueWatch = createDueWatch({ leases: store.leases, sendHint: hints.due, signal });
  const { notifyRunners } = dueWatch;
  const projections = createProjections({ notifyRunners });
  const confirm = createConfirm({ db, bus, projections });
  const changes: DeploymentsDeps = {
    store,
    inTransaction,
    confirm,
    reserved,
    heldReaders: heldItemReaders,
    notifyRunners,
  };
  return {
    config,
    db,
    bus,
    log,
    store,
    inTransaction,
    hints,
    dueWatch,
    projections,
    /** What a change of a deployment needs. */
    changes,
    readers: itemReaders(store),
    /** What becomes of a claim whose runner does not report. */
    policy: { maxAttempts: config.maxAttempts, leaseMs: config.leaseMs, spread: Math.random },
    metrics: createTaskMetrics(metrics),
    redactTexts: createRedactTexts({ store, secretKeys, knownIndexes: createKnownIndexes() }),
  };
}
