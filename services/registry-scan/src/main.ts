import { auditOfRegistryScan } from '@berth/contracts/resources/audit/audit-events';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import { inTransactionOf } from '@berth/db/in-transaction';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { readConfig } from '@berth/service/read-config';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { createChartParser } from './archive/chart-parser.ts';
import { catalogueStateHandlers } from './charts/catalogue-state-handlers.ts';
import { chartArchiveHandlers } from './charts/chart-archive-handlers.ts';
import { chartHandlers } from './charts/chart-handlers.ts';
import { createChartRepository } from './charts/chart-repository.ts';
import { chartVersionHandlers } from './charts/chart-version-handlers.ts';
import { createChartVersionRepository } from './charts/chart-version-repository.ts';
import { Config } from './config.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import { kindHandlers } from './kinds/kind-handlers.ts';
import type { HelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import type { DescribedRegistry } from './connection/described-registry.ts';
import type { RegistryClient } from './connection/registry-client.ts';
import { credentialsFile } from './connection/read-credentials.ts';
import { followQueues } from './push/follow-queues.ts';
import { receivePushes } from './push/receive-pushes.ts';
import { registryHandlers } from './registries/registry-handlers.ts';
import { createCreatedRegistryRepository } from './registries/created-registry-repository.ts';
import { registryCheckHandlers } from './registries/registry-check-handlers.ts';
import { refuseToStartWithoutKeys } from './registries/sealed-credentials.ts';
import { createRegistryRepository } from './registries/registry-repository.ts';
import { createCatalogue } from './scan/catalogue.ts';
import { createCreatedRegistries } from './polling/created-registries.ts';
import { observeRegistries } from './polling/observe-registries.ts';
import { pollRegistries, whileLeaderIn } from './polling/poll-registries.ts';
import { createPollRepository } from './polling/poll-repository.ts';
import { createScanMetrics } from './polling/scan-metrics.ts';
import { createTagRepository } from './scan/tag-repository.ts';
import { scannedRegistry } from './scan/scanned-registry.ts';
import { createCurrentFormats } from './tag-formats/current-formats.ts';
import { storeOf } from './store.ts';
import { reparseOnChange } from './charts/reparse-tags.ts';
import { tagFormatHandlers } from './tag-formats/tag-format-handlers.ts';

const name = 'registry-scan';

const start = {
  config: () => readConfig(Config, process.env),
  migrations: new URL('../migrations/', import.meta.url),
};

await runOwnerService(name, start, async ({ db, connect, log, metrics, signal, use, loop }, config) => {
  const createdRepository = createCreatedRegistryRepository(db);
  refuseToStartWithoutKeys(config.credentialKeys, await createdRepository.allSealed());
  const bus = await connect();
  bus.serve(auditHandlers(db, name, auditOfRegistryScan));

  const inTransaction = inTransactionOf(db, storeOf);
  const chartRepository = createChartRepository(db);
  const pollRepository = createPollRepository(db);
  const currentFormats = createCurrentFormats();
  const scanMetrics = createScanMetrics(metrics);
  const onRequest = (domain: string) => (status: number | null) => scanMetrics.requested(domain, status);
  const connectConfigured = ({ source, connect: connectTo }: DescribedRegistry, only?: readonly string[]) =>
    connectTo({ readCredentials: credentialsFile(source.credentialsFile), onRequest: onRequest(source.domain), only });
  const described = new Map(config.registries.map((registry) => [registry.source.domain, registry]));
  const registries = new Map(
    config.registries.map((registry) => [
      registry.source.domain,
      scannedRegistry(registry.source, use(connectConfigured(registry))),
    ]),
  );
  const { allowances, credentialKeys } = config;
  const isConfigured = (domain: string) => registries.has(domain);
  const created = use(
    createCreatedRegistries({
      repository: createdRepository,
      allowances,
      keys: credentialKeys,
      isConfigured,
      onRequest,
      log,
    }),
  );
  async function connectForCheck({ id, domain_name, repo_name }: HelmRegistry): Promise<RegistryClient | undefined> {
    const configured = described.get(domain_name);
    const only = [repo_name];
    if (configured) return connectConfigured(configured, only);
    const readCredentials = created.credentialsOf(id);
    return (await created.describe(id))?.connect({ readCredentials, onRequest: onRequest(domain_name), only });
  }
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
  bus.serve(chartVersionHandlers({ chartVersionRepository: createChartVersionRepository(db) }));
  bus.serve(registryHandlers({ db, inTransaction, allowances, keys: credentialKeys, isConfigured }));
  bus.serve(registryCheckHandlers({ registryRepository: scan.registryRepository, connectTo: connectForCheck }));
  bus.serve(kindHandlers({ db, inTransaction }));
  bus.serve(catalogueStateHandlers({ db }));
  bus.serve(tagFormatHandlers({ db, inTransaction, onChanged: formatsChanged.wake }));
  bus.serve(
    chartArchiveHandlers({
      bus,
      chartRepository,
      objects: bus.objects,
      clientOf: (domain, repository) => (registries.get(domain) ?? created.find(domain, repository))?.client,
    }),
  );

  loop('follow deployments', deploymentProjection.follow({ db, bus }));

  loop('reparse tags', reparseOnChange({ inTransaction, currentFormats, formatsChanged }));
  const polling = { scan, pollRepository, metrics: scanMetrics, whileLeader: whileLeaderIn(db) };
  for (const poll of pollRegistries(polling, registries.values())) loop(...poll);
  loop('poll created registries', created.pollAll(polling));
  const queues = {
    scan,
    pollRepository,
    metrics: scanMetrics,
    described: described.values(),
    registries,
    onRequest,
    use,
  };
  for (const follow of followQueues(queues)) loop(...follow);
  const sources = config.registries.map(({ source }) => source);
  loop('observe registries', observeRegistries({ pollRepository, metrics: scanMetrics, sources }));

  if (config.push) {
    const pushes = await receivePushes({ ...config.push, scan, registries, created, pollRepository, log, signal });
    use(pushes.listener);
    loop('process push events', pushes.loop);
  }
});
