import { connectBus } from '@berth/shared/bus/connect-bus';
import { forgetIdempotencyKeys } from '@berth/shared/db/idempotency/forget-idempotency-keys';
import { databaseIsUp, openDatabase } from '@berth/shared/db/postgres/open-database';
import { outboxRelay } from '@berth/shared/db/outbox/outbox-relay';
import { every } from '@berth/shared/service/loop';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { heldItemReaders, itemReaders } from './collections/item-readers.ts';
import { Config } from './config.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { deploymentStateHandlers } from './deployments/deployment-state-handlers.ts';
import { deploymentUsageHandlers } from './deployments/deployment-usage-handlers.ts';
import { createConfirm } from './projections/confirm.ts';
import { createProjections } from './projections/projections.ts';
import { keysAreThere } from './secrets/missing-keys.ts';
import { secretHandlers } from './secrets/secret-handlers.ts';
import { inTransactionOf, readingStore, type WritingStore } from './store/store.ts';
import { createCallTokens } from './status/call-tokens.ts';
import { followPolled } from './status/follow-polled.ts';
import { statusPollHandlers } from './status/status-poll-handlers.ts';
import { claimHandlers } from './tasks/claims/claim-handlers.ts';
import { createDueWatch } from './tasks/claims/due-watch.ts';
import { runnerHandlers } from './tasks/claims/runner-handlers.ts';
import { sweepLeases } from './tasks/claims/sweep-leases.ts';
import { taskHandlers } from './tasks/task-handlers.ts';

const name = 'tasks';

await runService(name, async ({ log, metrics, signal, use, loop, readiness }) => {
  const config = readConfig(Config, process.env);
  const { databaseUrl: url, ownUrl, limits, leaseMs, maxAttempts, reserved, secretKeys } = config;
  const migrations = new URL('../migrations/', import.meta.url);
  const db = use(await openDatabase({ url, migrations, log, signal, applicationName: name }));
  const bus = use(await connectBus({ ...config.bus, caller: name, log, metrics, signal }));
  readiness('database', () => databaseIsUp(db));

  const store = readingStore(db);
  readiness('keys of secrets', keysAreThere({ store, secretKeys, log }));
  const notifyRunners = () => bus.hints.send('tasks_due', 'due');
  const due = createDueWatch({ leases: store.leases, notifyRunners, signal });
  const projections = createProjections(due);
  const engine = {
    db,
    store,
    confirm: createConfirm({ db, bus, projections }),
    inTransaction: inTransactionOf(db),
    readers: itemReaders(store.items),
    heldReaders: ({ items }: Pick<WritingStore, 'items'>) => heldItemReaders(items),
    reserved,
    secretKeys,
    policy: { maxAttempts, leaseMs, spread: Math.random },
    wakeRunners: due.wakeRunners,
    hintCancel: (taskId: string) => bus.hints.send('task_cancel', taskId),
    hintLog: (taskId: string) => bus.hints.send('task_log', taskId),
  };

  bus.serve(deploymentHandlers(engine));
  bus.serve(deploymentUsageHandlers(engine));
  bus.serve(deploymentStateHandlers(engine));
  bus.serve(secretHandlers({ ...engine, db }));
  bus.serve(taskHandlers({ ...engine, limits }));
  bus.serve(claimHandlers(engine));
  bus.serve(statusPollHandlers({ ...engine, callTokens: createCallTokens({ bus }), log }));
  bus.serve(runnerHandlers({ ...engine, bus, log, ownUrl, options: { leaseMs, limits } }));

  loop('publish state', outboxRelay({ db, bus, owner: name, log }));
  loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
  for (const [copied, projection] of Object.entries(projections))
    loop(`follow ${copied}`, projection.follow({ db, bus }));
  loop('take back expired claims', every(1_000, sweepLeases({ ...engine, log })));
  loop('follow polled deployments', every(5_000, followPolled(engine)));
  loop('wake runners when due', due.watch);
});
