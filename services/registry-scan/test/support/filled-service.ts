import type { Identity } from '@berth/contracts/access/identity';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import type { Operation, OperationSpec, RequestInput } from '@berth/contracts/definition/contract';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { ScanDeps } from '../../src/scan/scan-deps.ts';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { type OciServer, startOciServer } from './oci-server.ts';
import { type ServiceInTest, startServiceInTest } from './service-in-test.ts';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';

const { siteAdmin, envAdmin, outsider, bot, deployment } = sampleIdentities;

export const missing = '99999999-9999-4999-8999-999999999999';

export const everybody: [string, Identity][] = [
  ['a site admin', siteAdmin],
  ['a user without envs', outsider],
  ['a bot', bot],
  ['a deployment', deployment],
];
export const notSiteAdmins: [string, Identity][] = [
  ['an env admin', envAdmin],
  ['a bot', bot],
  ['a deployment', deployment],
];

const Published = z.object({ id: z.uuid(), operation: z.string(), row: z.looseObject({}) });

export const packaged = (version: string, more: Record<string, string> = {}) =>
  chartTgz({ 'Chart.yaml': chartYaml({ version }), ...more });

/** For a whole test file: the service with two chart repositories of two kinds, filled anew for each test. */
export function filledService() {
  let service: ServiceInTest;
  let server: OciServer;

  beforeAll(async () => {
    service = await startServiceInTest();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await service.clear();
    server = await startOciServer();
    server.push('charts/web', '1.0.0', await packaged('1.0.0'));
    server.push('charts/web', '2.0.0-main.1', await packaged('2.0.0-main.1'));
    server.push('charts/other', '1.0.0', await chartTgz({ 'Chart.yaml': chartYaml({ name: 'other' }) }, 'other'));
    await scan();
  });
  afterEach(() => server?.[Symbol.asyncDispose]());

  const scan = (deps: ScanDeps = service.scan) =>
    scanRegistry(deps, service.addRegistry(server.registry), AbortSignal.timeout(20_000));

  async function call<S extends OperationSpec>(
    operation: Operation<S>,
    identity: Identity,
    request: RequestInput<S>,
    options: CallOptions = {},
  ) {
    const token = await identityToken(identity, 'registry-scan');
    return service.callers.gateway.call(operation, request, { identityToken: token, ...options });
  }

  async function registryOf(repository: string) {
    const { items } = await call(helmRegistries.operations.list, siteAdmin, { query: { repo_name: repository } });
    const [registry] = items;
    if (!registry) throw new Error(`no registry ${repository}`);
    return registry;
  }

  return {
    service: () => service,
    server: () => server,
    scan,
    call,
    registryOf,

    async chartOf(tag: string, repository = 'charts/web') {
      const { id } = await registryOf(repository);
      const { items } = await call(helmCharts.operations.list, siteAdmin, { query: { helm_registry_id: id } });
      const chart = items.find(({ image_tag }) => image_tag === tag);
      if (!chart) throw new Error(`no chart ${tag}`);
      return chart;
    },

    /** The outbox of a resource, one entry for each of its rows. */
    outboxOf: (resource: string) =>
      service.db.any(
        sql.type(Published)`select id, operation, row from outbox where resource = ${resource} order by version`,
      ),
  };
}
