import { auditOfTasks } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { maskOlderTasks } from './actions/mask-older-tasks.ts';
import { heldItemReaders, itemReaders } from './collections/item-readers.ts';
import { Config } from './config.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { deploymentPlaceHandlers } from './places/deployment-place-handlers.ts';
import { envImpactHandlers } from './projections/env-impact-handlers.ts';
import { deploymentStateHandlers } from './deployments/deployment-state-handlers.ts';
import { deploymentUsageHandlers } from './deployments/deployment-usage-handlers.ts';
import { followSilence } from './health/follow-silence.ts';
import { healthHandlers } from './health/health-handlers.ts';
import { compareReleases } from './plans/compare-release.ts';
import { dryRunHandlers } from './plans/dry-run-handlers.ts';
import { planHandlers } from './plans/plan-handlers.ts';
import { createConfirm } from './projections/confirm.ts';
import { readOlderRuns } from './installed/read-older-runs.ts';
import { observeQueue } from './metrics/observe-queue.ts';
import { createTaskMetrics } from './metrics/task-metrics.ts';
import { createProjections, followAll } from './projections/projections.ts';
import { taskRetention } from './retention/task-retention.ts';
import { keysAreThere, refuseToStartWithoutKeys } from './secrets/missing-keys.ts';
import { resourceCallHandlers } from './resources/calls/call-handlers.ts';
import { resourceHandlers } from './resources/resource-handlers.ts';
import { sweepResources } from './resources/sweep-resources.ts';
import { typeHandlers } from './resources/type-handlers.ts';
import { secretHandlers } from './secrets/secret-handlers.ts';
import { createKnownIndexes } from './shown/known-indexes.ts';
import { redactTexts } from './shown/redact-texts.ts';
import { shownTextHandlers } from './shown/shown-text-handlers.ts';
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

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, signal, loop, readiness }, config) => {
  const { ownUrl, limits, leaseMs, maxAttempts, reserved, secretKeys } = config;
  const store = readingStore(db);
  await refuseToStartWithoutKeys(store, secretKeys);
  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfTasks));

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

  const redactsTexts = { store, secretKeys, knownIndexes: createKnownIndexes() };
  bus.serve(shownTextHandlers(redactsTexts));
  const compareRelease = compareReleases({ store, inTransaction, bus, secretKeys, metrics: taskMetrics });
  const redacting = { redactTexts: (texts: Parameters<typeof redactTexts>[1]) => redactTexts(redactsTexts, texts) };
  bus.serve(deploymentHandlers({ ...changes, limits, ...redacting, bus, compareRelease }));
  bus.serve(deploymentPlaceHandlers({ store, inTransaction }));
  bus.serve(healthHandlers({ inTransaction }));
  bus.serve(deploymentUsageHandlers({ store, inTransaction }));
  bus.serve(envImpactHandlers({ db, store, projections }));
  bus.serve(deploymentStateHandlers({ store }));
  // A plan locks nothing, because it writes nothing that could contradict what it read.
  bus.serve(
    planHandlers({
      store,
      inTransaction,
      confirm,
      reserved,
      heldReaders: itemReaders,
      bus,
      secretKeys,
      metrics: taskMetrics,
    }),
  );
  bus.serve(dryRunHandlers({ store, readers, bus, secretKeys, ownUrl, log }));
  bus.serve(secretHandlers({ ...changes, secretKeys }));
  bus.serve(typeHandlers({ store }));
  bus.serve(resourceHandlers({ ...changes, secretKeys }));
  bus.serve(resourceCallHandlers({ bus, inTransaction, secretKeys, notifyRunners, log }));
  bus.serve(taskHandlers({ ...changes, secretKeys, limits, hintCancel: hints.cancel }));
  bus.serve(claimCheckHandlers({ store }));
  bus.serve(
    statusPollHandlers({ store, inTransaction, callTokens: createCallTokens({ bus }), log, metrics: taskMetrics }),
  );
  bus.serve(
    runnerHandlers({
      store,
      inTransaction,
      policy,
      limits,
      reserved,
      readers,
      heldReaders: heldItemReaders,
      bus,
      secretKeys,
      ownUrl,
      notifyRunners,
      hintLog: hints.log,
      log,
      metrics: taskMetrics,
    }),
  );

  followAll(projections, { db, bus, loop });
  loop(
    'forget dry runs',
    every(10_000, async () => void (await store.dryRuns.removeOver())),
  );
  loop(
    'add up numbers of tasks and deployments',
    every(30_000, async () => void (await store.counts.addUp(5_000))),
  );
  loop(
    'take back expired claims',
    every(1_000, sweepLeases({ store, inTransaction, policy, notifyRunners, log, metrics: taskMetrics })),
  );
  loop('mask inputs of older tasks', every(60_000, maskOlderTasks({ inTransaction, secretKeys })));
  loop('read runs of the version before', every(60_000, readOlderRuns({ store, inTransaction })));
  loop('follow polled deployments', every(2_000, followPolled({ inTransaction })));
  loop('follow all polled deployments', every(60_000, refollowPolled({ db, store })));
  loop('follow silent clusters', every(2_000, followSilence({ store, inTransaction, bus, log })));
  loop('sweep resources', every(5_000, sweepResources({ inTransaction, secretKeys })));
  loop('wake runners when due', watch);
  loop('observe the queue', observeQueue({ store, metrics: taskMetrics }));
  loop(
    'remove old tasks',
    taskRetention({ db, store, inTransaction, retention: config.retention, log, countRemoved: taskMetrics.removed }),
  );
});
