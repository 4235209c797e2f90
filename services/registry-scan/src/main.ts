import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { connectBus } from '@berth/shared/bus/connect-bus';
import { forgetIdempotencyKeys } from '@berth/shared/db/idempotency/forget-idempotency-keys';
import { databaseIsUp, openDatabase } from '@berth/shared/db/postgres/open-database';
import { outboxRelay } from '@berth/shared/db/outbox/outbox-relay';
import { whileHolding } from '@berth/shared/db/leases/while-holding';
import { every } from '@berth/shared/service/loop';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { createWakeUp } from '@berth/shared/service/wake-up';
import { createChartParser } from './archive/chart-parser.ts';
import { catalogueStateHandlers } from './charts/catalogue-state-handlers.ts';
import { chartArchiveHandlers } from './charts/chart-archive-handlers.ts';
import { chartHandlers } from './charts/chart-handlers.ts';
import { createChartRepository } from './charts/chart-repository.ts';
import { Config } from './config.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import { kindHandlers } from './kinds/kind-handlers.ts';
import { createRegistryClient } from './oci/registry-client.ts';
import { followHints } from './push/follow-hints.ts';
import { createHintQueue } from './push/hint-queue.ts';
import { startPushListener } from './push/push-listener.ts';
import { queueHints } from './push/queue-hints.ts';
import { registryHandlers } from './registries/registry-handlers.ts';
import { createRegistryRepository } from './registries/registry-repository.ts';
import { createCatalogue } from './scan/catalogue.ts';
import { pollRegistry } from './scan/poll-registry.ts';
import { createPollRepository } from './scan/poll-repository.ts';
import { createTagRepository } from './scan/tag-repository.ts';
import { watchRegistry } from './scan/watch-registry.ts';
import { createCurrentFormats } from './tag-formats/current-formats.ts';
import { parseAgain } from './tag-formats/parse-again.ts';
import { tagFormatHandlers } from './tag-formats/tag-format-handlers.ts';

const name = 'registry-scan';

await runService(name, async ({ log, metrics, signal, use, loop, readiness }) => {
  const config = readConfig(Config, process.env);
  const migrations = new URL('../migrations/', import.meta.url);
  const db = use(await openDatabase({ url: config.databaseUrl, migrations, log, signal, applicationName: name }));
  const bus = use(await connectBus({ ...config.bus, caller: name, log, metrics, signal }));
  readiness('database', () => databaseIsUp(db));

  const chartRepository = createChartRepository(db);
  const pollRepository = createPollRepository(db);
  const currentFormats = createCurrentFormats();
  const registries = new Map(
    config.registries.map((source) => [source.domain, watchRegistry(source, use(createRegistryClient(source)))]),
  );
  const scan = {
    catalogue: createCatalogue({ db, currentFormats }),
    chartRepository,
    registryRepository: createRegistryRepository(db),
    tagRepository: createTagRepository(db),
    reading: { parser: use(createChartParser()), objects: bus.objects, log },
    log,
  };
  const formatsChanged = createWakeUp(signal);

  bus.serve(chartHandlers({ chartRepository }));
  bus.serve(registryHandlers({ db }));
  bus.serve(kindHandlers({ db }));
  bus.serve(catalogueStateHandlers({ db }));
  bus.serve(tagFormatHandlers({ db, onChanged: formatsChanged.wake }));
  bus.serve(
    chartArchiveHandlers({
      bus,
      chartRepository,
      objects: bus.objects,
      clientOf: (domain) => registries.get(domain)?.client,
    }),
  );

  loop('publish state', outboxRelay({ db, bus, owner: name, log }));
  loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
  loop('follow deployments', deploymentProjection.follow({ db, bus }));

  const parseTags = parseAgain({ db, currentFormats });
  loop(
    'parse tags again',
    every(10, async () => {
      await parseTags(signal);
      await formatsChanged.wait(2_000);
    }),
  );

  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const lease = { holder, ttlMs: 30_000, heartbeatMs: 8_000, marginMs: 5_000 };
  for (const registry of registries.values()) {
    const poll = pollRegistry(
      {
        scan,
        pollRepository,
        alone: (domain, work, until) =>
          whileHolding(db, { ...lease, name: `poll ${domain}`, signal: until }, (held) => work(held)),
      },
      registry,
    );
    loop(`poll ${registry.source.domain}`, every(1_000, poll));
  }

  if (config.push) {
    const queue = createHintQueue();
    const pushed = createWakeUp(signal);
    const onHints = queueHints({ queue, wakeUp: pushed, sources: config.registries, pollRepository, log });
    loop('look at what was pushed', followHints({ scan, registries, queue, wakeUp: pushed, pollRepository }));
    use(await startPushListener({ ...config.push, onHints, log }));
  }
});
