import type { Bus } from '@berth/bus/bus';
import type { Database } from '@berth/db/database';
import { inTransactionOf } from '@berth/db/in-transaction';
import type { Service } from '@berth/service/service';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { createChartParser } from './archive/chart-parser.ts';
import { createChartRepository } from './charts/chart-repository.ts';
import type { Config } from './config.ts';
import { createConfiguredRegistries } from './polling/configured-registries.ts';
import { createCreatedRegistries } from './polling/created-registries.ts';
import { createPollRepository } from './polling/poll-repository.ts';
import { createScanMetrics } from './polling/scan-metrics.ts';
import { createHintRepository } from './push/hint-repository.ts';
import { createCreatedRegistryRepository } from './registries/created-registry-repository.ts';
import { createRegistryRepository } from './registries/registry-repository.ts';
import { createCatalogue } from './scan/catalogue.ts';
import type { ScanDeps } from './scan/scan-deps.ts';
import { createTagRepository } from './scan/tag-repository.ts';
import { storeOf } from './store.ts';
import { createCurrentFormats } from './tag-formats/current-formats.ts';

interface Connected extends Pick<Service, 'log' | 'metrics' | 'signal' | 'use'> {
  db: Database;
  bus: Bus;
}

/** What the handlers and loops of the service are made of. */
export type Parts = ReturnType<typeof createParts>;

export function createParts({ db, bus, log, metrics: registered, signal, use }: Connected, config: Config) {
  const { allowances, credentialKeys } = config;
  const inTransaction = inTransactionOf(db, storeOf);
  const metrics = createScanMetrics(registered);
  const onRequest = (domain: string) => (status: number | null) => metrics.requested(domain, status);

  const configured = createConfiguredRegistries({ described: config.registries, onRequest, use });
  const isConfigured = (domain: string) => configured.scanned.has(domain);
  const rules = { allowances, keys: credentialKeys, isConfigured };
  const created = use(
    createCreatedRegistries({ ...rules, repository: createCreatedRegistryRepository(db), onRequest, log }),
  );

  const chartRepository = createChartRepository(db);
  const registryRepository = createRegistryRepository(db);
  const currentFormats = createCurrentFormats();
  const scan: ScanDeps = {
    catalogue: createCatalogue({ inTransaction, currentFormats }),
    chartRepository,
    registryRepository,
    tagRepository: createTagRepository(db),
    fetching: { parser: use(createChartParser()), objects: bus.objects, log },
    log,
  };

  return {
    config,
    db,
    bus,
    log,
    signal,
    use,
    inTransaction,
    configured,
    created,
    /** What a created registry may be. */
    rules,
    chartRepository,
    registryRepository,
    pollRepository: createPollRepository(db),
    hints: createHintRepository(db),
    currentFormats,
    formatsChanged: createWakeUp(signal),
    /** What a scan needs, whether a poll or a push event has begun it. */
    scan,
    metrics,
    onRequest,
  };
}
