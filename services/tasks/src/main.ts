import { connectBus } from '@berth/bus/connect-bus';
import { auditOfTasks } from '@berth/contracts/resources/audit/audit-events';
import { forgetIdempotencyKeys } from '@berth/db/idempotency/forget-idempotency-keys';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { auditRetention } from '@berth/db/audit/audit-retention';
import { createDeniedAttempts } from '@berth/db/audit/denied-attempts';
import { databaseIsUp, openDatabase } from '@berth/db/postgres/open-database';
import { outboxRelay } from '@berth/db/outbox/outbox-relay';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { runService } from '@berth/service/run-service';
import { heldItemReaders, itemReaders } from './collections/item-readers.ts';
import { Config } from './config.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { deploymentPlaceHandlers } from './places/deployment-place-handlers.ts';
import { deploymentStateHandlers } from './deployments/deployment-state-handlers.ts';
import { deploymentUsageHandlers } from './deployments/deployment-usage-handlers.ts';
import { dryRunHandlers } from './plans/dry-run-handlers.ts';
import { planHandlers } from './plans/plan-handlers.ts';
import { createConfirm } from './projections/confirm.ts';
import { observeQueue } from './metrics/observe-queue.ts';
import { createTaskMetrics } from './metrics/task-metrics.ts';
import { createProjections, followAll } from './projections/projections.ts';
import { taskRetention } from './retention/task-retention.ts';
import { keysAreThere } from './secrets/missing-keys.ts';
import { resourceCallHandlers } from './resources/calls/call-handlers.ts';
import { resourceHandlers } from './resources/resource-handlers.ts';
import { sweepResources } from './resources/sweep-resources.ts';
import { typeHandlers } from './resources/type-handlers.ts';
import { secretHandlers } from './secrets/secret-handlers.ts';
import { inTransactionOf, readingStore } from './store/store.ts';
import { createCallTokens } from './status/call-tokens.ts';
import { followPolled, refollowPolled } from './status/follow-polled.ts';
import { statusPollHandlers } from './status/status-poll-handlers.ts';
import { claimCheckHandlers } from './tasks/claims/claim-check-handlers.ts';
import { createDueWatch } from './tasks/claims/due-watch.ts';
import { runnerHandlers } from './tasks/claims/runner-handlers.ts';
import { sweepLeases } from './tasks/claims/sweep-leases.ts';
import { taskHandlers } from './tasks/task-handlers.ts';
import { taskHints } from './tasks/task-hints.ts';

const name = 'tasks';

await runService(name, async ({ log, metrics, signal, use, loop, readiness }) => {
  const config = readConfig(Config, process.env);
  const { databaseUrl: url, ownUrl, limits, leaseMs, maxAttempts, reserved, secretKeys } = config;
  const migrations = new URL('../migrations/', import.meta.url);
  const db = use(await openDatabase({ url, migrations, log, signal, applicationName: name }));
  const denied = use(createDeniedAttempts({ db, log }));
  const bus = use(await connectBus({ ...config.bus, caller: name, log, metrics, signal, onDenied: denied.note }));
  readiness('database', () => databaseIsUp(db));
  bus.serve(auditHandlers(db, name, auditOfTasks));

  const store = readingStore(db);
  readiness('keys of secrets', keysAreThere({ store, secretKeys, log }));
  const inTransaction = inTransactionOf(db);
  const hints = taskHints(bus);
  const { notifyRunners, watch } = createDueWatch({ leases: store.leases, sendHint: hints.due, signal });
  const projections = createProjections({ notifyRunners });
  const confirm = createConfirm({ db, bus, projections });
  const readers = itemReaders(store);
  const policy = { maxAttempts, leaseMs, spread: Math.random };
  const changes = { inTransaction, store, confirm, reserved, heldReaders: heldItemReaders, notifyRunners };
  const taskMetrics = createTaskMetrics(metrics);
  const claims = { store, inTransaction, policy, notifyRunners, log, metrics: taskMetrics };

  bus.serve(deploymentHandlers({ ...changes, bus }));
  bus.serve(deploymentPlaceHandlers({ store, inTransaction }));
  bus.serve(deploymentUsageHandlers({ store, inTransaction }));
  bus.serve(deploymentStateHandlers({ store }));
  // A plan holds nothing: it changes nothing that could contradict what it read.
  bus.serve(
    planHandlers({ ...changes, heldReaders: itemReaders, inTransaction, bus, secretKeys, metrics: taskMetrics }),
  );
  bus.serve(dryRunHandlers({ store, readers, bus, secretKeys, ownUrl, log }));
  bus.serve(secretHandlers({ ...changes, secretKeys }));
  bus.serve(typeHandlers({ store }));
  bus.serve(resourceHandlers({ ...changes, secretKeys }));
  bus.serve(resourceCallHandlers({ bus, inTransaction, secretKeys, notifyRunners, log }));
  bus.serve(taskHandlers({ ...changes, limits, hintCancel: hints.cancel }));
  bus.serve(claimCheckHandlers({ store }));
  bus.serve(
    statusPollHandlers({ store, inTransaction, callTokens: createCallTokens({ bus }), log, metrics: taskMetrics }),
  );
  bus.serve(
    runnerHandlers({ ...changes, ...claims, readers, secretKeys, bus, ownUrl, leaseMs, limits, hintLog: hints.log }),
  );

  loop('publish state', outboxRelay({ db, bus, owner: name, log }));
  loop('record denied attempts', every(1_000, denied.write));
  loop('remove old audit events', auditRetention({ db, metrics, days: config.auditDays }));
  loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
  followAll(projections, { db, bus, loop });
  loop(
    'forget dry runs',
    every(10_000, async () => void (await store.dryRuns.removeOver())),
  );
  loop(
    'add up numbers of tasks and deployments',
    every(30_000, async () => void (await store.counts.addUp(5_000))),
  );
  loop('take back expired claims', every(1_000, sweepLeases(claims)));
  loop('follow polled deployments', every(2_000, followPolled({ inTransaction })));
  loop('follow all polled deployments', every(60_000, refollowPolled({ db, store })));
  loop('sweep resources', every(5_000, sweepResources({ inTransaction, secretKeys })));
  loop('wake runners when due', watch);
  loop('observe the queue', observeQueue({ store, metrics: taskMetrics }));
  loop(
    'remove old tasks',
    taskRetention({ db, store, inTransaction, retention: config.retention, log, countRemoved: taskMetrics.removed }),
  );
});
