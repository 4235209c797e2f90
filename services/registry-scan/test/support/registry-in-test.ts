import { type HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { RegistrySource } from '../../src/connection/registry-source.ts';
import type { ScannedRegistry } from '../../src/scan/scanned-registry.ts';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { type OciServer, startOciServer } from './oci-server.ts';
import { type ServiceInTest, startServiceInTest } from './service-in-test.ts';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';

const Published = z.object({ resource: z.string(), operation: z.string() });

export const web = (version = '1.0.0', more: Record<string, string> = {}) =>
  chartTgz({ 'Chart.yaml': chartYaml({ version }), ...more });

/** Such as `1.0.0 true` for an available chart. */
export const summary = (charts: readonly HelmChart[]): string[] =>
  charts.map(({ image_tag, available }) => `${image_tag} ${available}`);

/** For a whole test file: the service, and for each test an empty registry that it scans. */
export function registryInTest() {
  let service: ServiceInTest;
  let server: OciServer;
  let registry: ScannedRegistry;

  beforeAll(async () => {
    service = await startServiceInTest();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await service.clear();
    server = await startOciServer({ source: { recheck_interval_seconds: 3_600 } });
    registry = service.addRegistry(server.registry);
  });
  afterEach(() => server?.[Symbol.asyncDispose]());

  return {
    service: () => service,
    server: () => server,
    registry: () => registry,
    /** Scans the registry, with these settings replaced. */
    scan: (settings: Partial<RegistrySource> = {}) =>
      scanRegistry(
        service.scan,
        { ...registry, source: { ...registry.source, ...settings } },
        AbortSignal.timeout(20_000),
      ),
    /** Sets the last scan of the tags far into the past. */
    makeRechecksDue: () =>
      service.db.query(sql.unsafe`update registry_tags set observed_at = observed_at - interval '2 hours'`),

    /** The outbox, one entry for each row. */
    outbox: () => service.db.any(sql.type(Published)`select resource, operation from outbox order by version`),
    markPublished: () => service.db.query(sql.unsafe`update outbox set published_version = version`),
    unpublished: () =>
      service.db.any(sql.type(Published)`
        select resource, operation from outbox where published_version is distinct from version order by version
      `),

    async charts(): Promise<HelmChart[]> {
      const identity = await identityToken(sampleIdentities.outsider, 'registry-scan');
      const request = { query: { sort: 'image_tag' } };
      const { list } = helmCharts.operations;
      return (await service.callers.gateway.call(list, request, { identityToken: identity })).items;
    },

    async registries() {
      const identity = await identityToken(sampleIdentities.outsider, 'registry-scan');
      const { list } = helmRegistries.operations;
      return (await service.callers.gateway.call(list, {}, { identityToken: identity })).items;
    },
  };
}
