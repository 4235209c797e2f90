import { auditOfRegistryScan } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { readConfig } from '@berth/service/read-config';
import { Config } from './config.ts';
import { createParts } from './parts.ts';
import { receivePushes } from './push/receive-pushes.ts';
import { createCreatedRegistryRepository } from './registries/created-registry-repository.ts';
import { refuseToStartWithoutKeys } from './registries/sealed-credentials.ts';
import { regularWork } from './regular-work.ts';
import { serveServices } from './serve-services.ts';
import { serveUsers } from './serve-users.ts';

const name = 'registry-scan';

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, signal, use, loop }, config) => {
  refuseToStartWithoutKeys(config.credentialKeys, await createCreatedRegistryRepository(db).allSealed());

  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfRegistryScan));
  const parts = createParts({ db, bus, log, metrics, signal, use }, config);
  serveUsers(parts);
  serveServices(parts);

  for (const [what, run] of Object.entries(regularWork(parts))) loop(what, run);
  if (config.push) {
    const pushes = await receivePushes(parts, config.push);
    use(pushes.listener);
    loop('process push events', pushes.loop);
  }
});
