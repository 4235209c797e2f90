import { type HelmChart, helmCharts } from '@berth/shared/contracts/resources/helm-charts';
import { helmRegistries } from '@berth/shared/contracts/resources/helm-registries';
import { identityToken, sampleIdentities } from '@berth/shared/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { RegistrySource } from '../../src/oci/registry-source.ts';
import type { WatchedRegistry } from '../../src/scan/scan-deps.ts';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { type OciServer, startOciServer } from './oci-server.ts';
import { type ServiceInTest, startServiceInTest } from './service-in-test.ts';
import { chartTgz, chartYaml } from './tgz.ts';

const Told = z.object({ resource: z.string(), operation: z.string() });

export const web = (version = '1.0.0', more: Record<string, string> = {}) =>
  chartTgz({ 'Chart.yaml': chartYaml({ version }), ...more });

/** `1.0.0 true` for a chart that is available. */
export const summary = (charts: readonly HelmChart[]): string[] =>
  charts.map(({ image_tag, available }) => `${image_tag} ${available}`);

/** For a whole test file: the service, and for each test an empty registry that it knows. */
export function watchedRegistry() {
  let service: ServiceInTest;
  let server: OciServer;
  let registry: WatchedRegistry;

  beforeAll(async () => {
    service = await startServiceInTest();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await service.forgetAll();
    server = await startOciServer({ source: { recheck_interval_seconds: 3_600 } });
    registry = service.watch(server.source);
  });
  afterEach(() => server?.[Symbol.asyncDispose]());

  return {
    service: () => service,
    server: () => server,
    registry: () => registry,
    /** Looks through the registry as it is configured, but for these settings. */
    scan: (settings: Partial<RegistrySource> = {}) =>
      scanRegistry(
        service.scan,
        { ...registry, source: { ...registry.source, ...settings } },
        AbortSignal.timeout(20_000),
      ),
    /** As if the tags had been looked at long ago. */
    letTimePass: () =>
      service.db.query(sql.unsafe`update registry_tags set observed_at = observed_at - interval '2 hours'`),

    /** What everybody was told, one entry per row. */
    told: () => service.db.any(sql.type(Told)`select resource, operation from outbox order by version`),
    forgetTold: () => service.db.query(sql.unsafe`update outbox set published_version = version`),
    newlyTold: () =>
      service.db.any(sql.type(Told)`
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
