import { connectBus } from '@berth/bus/connect-bus';
import { auditOfRegistryScan } from '@berth/contracts/resources/audit/audit-events';
import { forgetIdempotencyKeys } from '@berth/db/idempotency/forget-idempotency-keys';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { auditRetention } from '@berth/db/audit/audit-retention';
import { createDeniedAttempts } from '@berth/db/audit/denied-attempts';
import { databaseIsUp, openDatabase } from '@berth/db/postgres/open-database';
import { outboxRelay } from '@berth/db/outbox/outbox-relay';
import { inTransactionOf } from '@berth/db/in-transaction';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { runService } from '@berth/service/run-service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { createChartParser } from './archive/chart-parser.ts';
import { catalogueStateHandlers } from './charts/catalogue-state-handlers.ts';
import { chartArchiveHandlers } from './charts/chart-archive-handlers.ts';
import { chartHandlers } from './charts/chart-handlers.ts';
import { createChartRepository } from './charts/chart-repository.ts';
import { Config } from './config.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import { kindHandlers } from './kinds/kind-handlers.ts';
import { createRegistryClient } from './oci/client/registry-client.ts';
import { receivePushes } from './push/receive-pushes.ts';
import { registryHandlers } from './registries/registry-handlers.ts';
import { createRegistryRepository } from './registries/registry-repository.ts';
import { createCatalogue } from './scan/catalogue.ts';
import { pollRegistries } from './polling/poll-registries.ts';
import { createPollRepository } from './polling/poll-repository.ts';
import { createTagRepository } from './scan/tag-repository.ts';
import { configuredRegistry } from './scan/configured-registry.ts';
import { createCurrentFormats } from './tag-formats/current-formats.ts';
import { storeOf } from './store.ts';
import { reparseOnChange } from './charts/reparse-tags.ts';
import { tagFormatHandlers } from './tag-formats/tag-format-handlers.ts';

const name = 'registry-scan';

await runService(name, async ({ log, metrics, signal, use, loop, readiness }) => {
  const config = readConfig(Config, process.env);
  const migrations = new URL('../migrations/', import.meta.url);
  const db = use(await openDatabase({ url: config.databaseUrl, migrations, log, signal, applicationName: name }));
  const denied = use(createDeniedAttempts({ db, log }));
  const bus = use(await connectBus({ ...config.bus, caller: name, log, metrics, signal, onDenied: denied.note }));
  readiness('database', () => databaseIsUp(db));
  bus.serve(auditHandlers(db, name, auditOfRegistryScan));

  const inTransaction = inTransactionOf(db, storeOf);
  const chartRepository = createChartRepository(db);
  const pollRepository = createPollRepository(db);
  const currentFormats = createCurrentFormats();
  const registries = new Map(
    config.registries.map((source) => [source.domain, configuredRegistry(source, use(createRegistryClient(source)))]),
  );
  const scan = {
    catalogue: createCatalogue({ inTransaction, currentFormats }),
    chartRepository,
    registryRepository: createRegistryRepository(db),
    tagRepository: createTagRepository(db),
    fetching: { parser: use(createChartParser()), objects: bus.objects, log },
    log,
  };
  const formatsChanged = createWakeUp(signal);

  bus.serve(chartHandlers({ chartRepository }));
  bus.serve(registryHandlers({ db, inTransaction }));
  bus.serve(kindHandlers({ db, inTransaction }));
  bus.serve(catalogueStateHandlers({ db }));
  bus.serve(tagFormatHandlers({ db, inTransaction, onChanged: formatsChanged.wake }));
  bus.serve(
    chartArchiveHandlers({
      bus,
      chartRepository,
      objects: bus.objects,
      clientOf: (domain) => registries.get(domain)?.client,
    }),
  );

  loop('publish state', outboxRelay({ db, bus, owner: name, log }));
  loop('record denied attempts', every(1_000, denied.write));
  loop('remove old audit events', auditRetention({ db, metrics, days: config.auditDays }));
  loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
  loop('follow deployments', deploymentProjection.follow({ db, bus }));

  loop('reparse tags', reparseOnChange({ inTransaction, currentFormats, formatsChanged }));
  for (const poll of pollRegistries({ db, scan, pollRepository }, registries.values())) loop(...poll);

  if (config.push) {
    const sources = config.registries;
    const pushes = await receivePushes({ ...config.push, scan, sources, registries, pollRepository, log, signal });
    use(pushes.listener);
    loop('process push events', pushes.loop);
  }
});
