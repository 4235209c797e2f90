import { type HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { ScannedRegistry } from '../../src/scan/scanned-registry.ts';
import type { ScanDeps } from '../../src/scan/scan-deps.ts';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { type IndexServer, type IndexServerOptions, startIndexServer } from './index-server.ts';
import { type ServiceInTest, startServiceInTest } from './service-in-test.ts';

/** For a whole test file: the service, and for each test an empty chart repository that it scans. */
export function scannedIndex() {
  let service: ServiceInTest;
  let server: IndexServer;
  let registry: ScannedRegistry;

  beforeAll(async () => {
    service = await startServiceInTest();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await service.clear();
    server = await startIndexServer();
    registry = service.addRegistry(server.registry);
  });
  afterEach(() => server?.[Symbol.asyncDispose]());

  return {
    service: () => service,
    server: () => server,
    scan: (deps: ScanDeps = service.scan) => scanRegistry(deps, registry, AbortSignal.timeout(60_000)),
    /** Sets the last scan of the tags far into the past. */
    makeRechecksDue: () =>
      service.db.query(sql.unsafe`update registry_tags set observed_at = observed_at - interval '2 hours'`),
    /** A second repository, with other settings. */
    async other(options: IndexServerOptions) {
      const other = await startIndexServer(options);
      const added = service.addRegistry(other.registry);
      return {
        server: other,
        scan: () => scanRegistry(service.scan, added, AbortSignal.timeout(60_000)),
        [Symbol.asyncDispose]: () => other[Symbol.asyncDispose](),
      };
    },
    async charts(): Promise<HelmChart[]> {
      const identity = await identityToken(sampleIdentities.outsider, 'registry-scan');
      const request = { query: { sort: 'image_tag' } };
      return (await service.callers.gateway.call(helmCharts.operations.list, request, { identityToken: identity }))
        .items;
    },
    async registries() {
      const identity = await identityToken(sampleIdentities.outsider, 'registry-scan');
      return (await service.callers.gateway.call(helmRegistries.operations.list, {}, { identityToken: identity }))
        .items;
    },
  };
}
