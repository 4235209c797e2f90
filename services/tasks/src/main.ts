import { auditOfTasks } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { readConfig } from '@berth/service/read-config';
import { Config } from './config.ts';
import { followAll } from './projections/projections.ts';
import { keysAreThere, refuseToStartWithoutKeys } from './secrets/missing-keys.ts';
import { createParts } from './parts.ts';
import { regularWork } from './regular-work.ts';
import { serveRunners } from './serve-runners.ts';
import { serveServices } from './serve-services.ts';
import { serveUsers } from './serve-users.ts';
import { readingStore } from './store/store.ts';

const name = 'tasks';

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, signal, loop, readiness }, config) => {
  const { secretKeys } = config;
  const store = readingStore(db);
  await refuseToStartWithoutKeys(store, secretKeys);
  readiness('keys of secrets', keysAreThere({ store, secretKeys, log }));

  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfTasks));
  const parts = createParts({ db, bus, log, metrics, signal }, config);
  serveUsers(parts);
  serveServices(parts);
  serveRunners(parts);

  followAll(parts.projections, { db, bus, loop });
  for (const [what, run] of Object.entries(regularWork(parts))) loop(what, run);
});
