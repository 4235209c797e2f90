import { randomBytes } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import type { Database } from '@berth/db/database';
import { inTransactionOf } from '@berth/db/in-transaction';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { connectPatientTestBus, connectTestBus, silentLog } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { sql } from 'slonik';
import { createChartParser } from '../../src/archive/chart-parser.ts';
import { chartArchiveHandlers } from '../../src/charts/chart-archive-handlers.ts';
import { chartHandlers } from '../../src/charts/chart-handlers.ts';
import { createChartRepository } from '../../src/charts/chart-repository.ts';
import { chartVersionHandlers } from '../../src/charts/chart-version-handlers.ts';
import { createChartVersionRepository } from '../../src/charts/chart-version-repository.ts';
import { kindHandlers } from '../../src/kinds/kind-handlers.ts';
import type { DescribedRegistry } from '../../src/connection/described-registry.ts';
import { credentialsFile } from '../../src/connection/read-credentials.ts';
import { registryHandlers } from '../../src/registries/registry-handlers.ts';
import { type CreatedRegistries, createCreatedRegistries } from '../../src/polling/created-registries.ts';
import { createCreatedRegistryRepository } from '../../src/registries/created-registry-repository.ts';
import { registryCheckHandlers } from '../../src/registries/registry-check-handlers.ts';
import { createRegistryRepository } from '../../src/registries/registry-repository.ts';
import { createCatalogue } from '../../src/scan/catalogue.ts';
import type { ScannedRegistry } from '../../src/scan/scanned-registry.ts';
import type { ScanDeps } from '../../src/scan/scan-deps.ts';
import { createTagRepository } from '../../src/scan/tag-repository.ts';
import { scannedRegistry } from '../../src/scan/scanned-registry.ts';
import { createCurrentFormats } from '../../src/tag-formats/current-formats.ts';
import { storeOf } from '../../src/store.ts';
import { reparseTags } from '../../src/charts/reparse-tags.ts';
import { tagFormatHandlers } from '../../src/tag-formats/tag-format-handlers.ts';

export interface ServiceInTest extends AsyncDisposable {
  readonly db: Database;
  readonly nats: TestNats;
  /** The callers of the service, each with its own NATS user. */
  readonly callers: { gateway: Bus; runner: Bus; tasks: Bus };
  /** The service's own bus, with its object store. */
  readonly bus: Bus;
  readonly scan: ScanDeps;
  /** Adds the registry to the service. */
  addRegistry(registry: DescribedRegistry): ScannedRegistry;
  /** Those that were created, as the service polls them. */
  readonly created: CreatedRegistries;
  reparseTags(): Promise<void>;
  /** Deletes all rows. */
  clear(): Promise<void>;
}

const migrations = new URL('../../migrations/', import.meta.url);

/** The service on a real bus and a real database; tests call the bodies of its loops. */
export async function startServiceInTest(): Promise<ServiceInTest> {
  const allowances = { allow_http: true, allow_addresses: ['127.0.0.1'] };
  const keys = randomBytes(32);
  await using starting = new AsyncDisposableStack();
  const { db } = starting.use(await openTestDatabase({ service: 'registry-scan', migrations }));
  const nats = starting.use(await startTestNats());
  const bus = starting.use(await connectTestBus(nats, 'registry-scan'));
  const gateway = starting.use(await connectPatientTestBus(nats, 'api-gateway'));
  const runner = starting.use(await connectPatientTestBus(nats, 'runner'));
  const tasks = starting.use(await connectPatientTestBus(nats, 'tasks'));
  const parser = starting.use(createChartParser({ timeoutMs: 3_000, starvedAfterMs: 120_000 }));

  const registries = new Map<string, ScannedRegistry>();
  const inTransaction = inTransactionOf(db, storeOf);
  const chartRepository = createChartRepository(db);
  const currentFormats = createCurrentFormats();
  const parse = reparseTags({ inTransaction, currentFormats });
  bus.serve(chartHandlers({ chartRepository }));
  bus.serve(chartVersionHandlers({ chartVersionRepository: createChartVersionRepository(db) }));
  const isConfigured = (domain: string) => registries.has(domain);
  const rules = { allowances, keys: [keys], isConfigured };
  const created = starting.use(
    createCreatedRegistries({
      ...rules,
      repository: createCreatedRegistryRepository(db),
      onRequest: () => () => undefined,
      log: silentLog,
    }),
  );
  bus.serve(registryHandlers({ db, inTransaction, ...rules }));
  bus.serve(
    registryCheckHandlers({
      registryRepository: createRegistryRepository(db),
      connectTo: ({ id }) => created.connect(id),
    }),
  );
  bus.serve(kindHandlers({ db, inTransaction }));
  bus.serve(tagFormatHandlers({ db, inTransaction, onChanged: () => undefined }));
  bus.serve(
    chartArchiveHandlers({
      bus,
      chartRepository,
      objects: bus.objects,
      clientOf: (domain, repository) => (registries.get(domain) ?? created.find(domain, repository))?.client,
    }),
  );

  const started = starting.move();
  return {
    db,
    nats,
    bus,
    callers: { gateway, runner, tasks },
    scan: {
      catalogue: createCatalogue({ inTransaction, currentFormats }),
      chartRepository,
      registryRepository: createRegistryRepository(db),
      tagRepository: createTagRepository(db),
      fetching: { parser, objects: bus.objects, log: silentLog },
      log: silentLog,
    },
    created,
    addRegistry({ source, connect }) {
      const readCredentials = credentialsFile(source.credentialsFile);
      const client = started.use(connect({ readCredentials, onRequest: () => undefined }));
      const registry = scannedRegistry(source, client);
      registries.set(source.domain, registry);
      return registry;
    },
    reparseTags: () => parse(AbortSignal.timeout(30_000)),
    clear: async () => {
      await db.query(sql.unsafe`
        truncate helm_charts, helm_registries, created_registries, deployment_kinds, registry_tags, registry_polls, push_hints, deployment_projection, outbox
      `);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
