import { auditOfClusterSync } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { readConfig } from '@berth/service/read-config';
import { Config } from './config.ts';
import { createParts } from './parts.ts';
import { regularWork } from './regular-work.ts';
import { serveRunners } from './serve-runners.ts';
import { serveServices } from './serve-services.ts';
import { serveUsers } from './serve-users.ts';

const name = 'cluster-sync';

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
  maxConnections: 12,
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, use, loop }, config) => {
  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfClusterSync));
  const parts = createParts({ db, bus, log, metrics, use }, config);
  serveUsers(parts);
  serveServices(parts);
  serveRunners(parts);

  for (const [what, run] of Object.entries(regularWork(parts))) loop(what, run);
});
