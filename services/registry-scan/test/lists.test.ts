import { limits } from '@berth/bus/protocol/limits';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import { outboxRelay } from '@berth/db/outbox/outbox-relay';
import { startGatewayProcess, startSiteAdminAuth } from '@berth/devstack/testing/gateway-process';
import { type LargestOptions, largestBody, resourcesWithTexts } from '@berth/testing/contracts/largest-body';
import { ignoredFilters } from '@berth/testing/contracts/ignored-filters';
import {
  type CallOperation,
  extremeTimes,
  largestOf,
  listedResources,
  readEveryWay,
  wrongOrders,
} from '@berth/testing/contracts/walk-list';
import { silentLog } from '@berth/testing/test-bus';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

const withId = sql.type(z.object({ id: z.string() }));

const servers = new AsyncDisposableStack();
let service: ServiceInTest;
beforeAll(async () => {
  service = servers.use(await startServiceInTest());
  servers.use(await startSiteAdminAuth(service.nats));
  const gateway = servers.use(await startGatewayProcess(service.nats));
  call = gateway.as({ token: 'any' });
  await service.db.query(withId`delete from helm_tag_formats`);
});
afterAll(() => servers.disposeAsync());

/** As a site admin, over HTTP. */
let call: CallOperation;

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;

/** In this order: later tables refer to rows of earlier ones. */
const inserts: Record<string, FragmentSqlToken> = {
  deployment_kinds: sql.fragment`insert into deployment_kinds (name, created_at) select n, at from ${times}`,
  helm_registries: sql.fragment`
      insert into helm_registries (domain_name, repo_name, kind_id, provider, created_at)
      select 'registry.example.com', n, (select id from deployment_kinds limit 1), 'Oci', at from ${times}`,
  helm_charts: sql.fragment`
      insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
        created_at)
      select (select id from helm_registries limit 1), n, '1.0.0', n, true, 1, at from ${times}`,
  chart_versions: sql.fragment`
      with charts_before as (delete from helm_charts)
      insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
        created_at)
      select (select id from helm_registries limit 1), n, '2.0.0', n, true, 1, at from ${times}`,
  helm_tag_formats: sql.fragment`insert into helm_tag_formats (pattern, created_at) select n, at from ${times}`,
};

describe('timestamps at the limits of Postgres', () => {
  test('are tested for every list', () => {
    expect(Object.keys(inserts).toSorted()).toEqual(listedResources('registry-scan').toSorted());
  });

  test.for(Object.entries(inserts))(
    'can be read by id and in every list of %s, which heeds each of its filters',
    async ([name, insert]) => {
      const inserted = (await service.db.any(withId`${insert} returning id`)).map(({ id }) => id);

      const { walked, read, sorted } = await readEveryWay(name, call, 3);

      expect(walked.map(({ id }) => id)).toEqual(inserted);
      expect(read).toEqual(walked.slice(0, 10));
      expect(wrongOrders(sorted, inserted)).toEqual([]);
      expect(await ignoredFilters(name, call)).toEqual([]);
    },
  );
});

describe('the largest rows that can be written', () => {
  const ten = Array.from({ length: 10 }, (_, n) => n);
  const options = (n: number): LargestOptions => ({
    mark: String(n).padStart(3, '0'),
    largestAs: n % 2 === 0 ? 'json' : 'utf8',
  });
  const changed = async (insert: FragmentSqlToken, update: (id: string, given: LargestOptions) => Promise<unknown>) => {
    const rows = await service.db.any(withId`${insert} returning id`);
    for (const [n, { id }] of rows.entries()) await update(id, options(n));
  };
  const numbered = sql.fragment`generate_series(100, 109) n`;
  const kinds = deploymentKinds.operations;
  const registries = helmRegistries.operations;

  beforeAll(async () => {
    await service.db.query(withId`truncate helm_charts, helm_registries, deployment_kinds, helm_tag_formats cascade`);
  });

  /** In the order of the tests. */
  const writes: Record<string, () => Promise<void>> = {
    deployment_kinds: () =>
      changed(sql.fragment`insert into deployment_kinds (name) select n::text from ${numbered}`, (id, given) =>
        call(kinds.update, { id, body: largestBody(kinds.update, given) }),
      ),
    helm_registries: () =>
      changed(
        sql.fragment`
          insert into helm_registries (domain_name, repo_name, kind_id, provider)
          select repeat('d', 253), repeat('r', 252) || n, (select id from deployment_kinds limit 1), 'HelmRepo'
          from ${numbered}`,
        // Its credentials and its push token are stored apart, and are in no answer.
        (id, options) => {
          const body = largestBody(registries.update, {
            ...options,
            given: { credentials: undefined, push_token: undefined },
          });
          return call(registries.update, { id, body });
        },
      ),
    helm_tag_formats: async () => {
      for (const n of ten) {
        const pattern = `(?<version>${(n % 2 === 0 ? '\u0001' : '😀').repeat(485)}${100 + n})`;
        await call(helmTagFormats.operations.create, { body: { pattern } });
      }
    },
  };

  test('are tested for every resource with texts', () => {
    expect(Object.keys(writes).toSorted()).toEqual(resourcesWithTexts('registry-scan').toSorted());
  });

  test.for(Object.entries(writes))('can be read by id and in every list of %s', async ([name, write]) => {
    await write();

    const { walked, read, sorted } = await readEveryWay(name, call, 100);

    expect(walked).toHaveLength(ten.length);
    expect(read).toEqual(walked.slice(0, 10));
    for (const ids of Object.values(sorted)) expect(ids).toHaveLength(ten.length);
    expect(100 * largestOf(walked)).toBeLessThan(limits.responseBytes);
  });

  test.for([
    ['deployment_kinds', deploymentKinds],
    ['helm_registries', helmRegistries],
  ] as const)('reach the projection of %s in tasks', async ([name, resource]) => {
    const copy = new Map<string, unknown>();
    const end = new AbortController();
    const { bus, db, callers } = service;
    const loops = [
      outboxRelay({ db, bus, owner: 'registry-scan', log: silentLog })(end.signal),
      callers.tasks.state.follow(resource, {
        signal: end.signal,
        apply: async ({ id, row }) => void copy.set(id, row),
      }),
    ];

    const { walked } = await readEveryWay(name, call, 100, []);
    await vi.waitFor(() => expect(walked.filter(({ id }) => !copy.has(id))).toEqual([]));
    // Followers may see fewer fields of a row.
    const published = z.array(z.object({ ...(resource.state?.published ?? resource.state?.row)?.shape }));
    expect(walked.map(({ id }) => copy.get(id))).toEqual(published.parse(walked));
    end.abort();
    await Promise.all(loops);
  });

  test('charts of the largest size are split into pages that fit into an answer', async () => {
    const values_ui = { text: '"'.repeat(60 * 1024) };
    await service.db.query(withId`
      insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
        values_ui, error)
      select (select id from helm_registries limit 1), 'large ' || n, repeat('t', 128), 'digest', true, 1,
        ${sql.jsonb(values_ui)}, repeat('"', 2000)
      from generate_series(1, 100) n
    `);
    const page = { query: { after: '', per_page: 100 } };

    const first = await call(helmCharts.operations.list, page);
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
    const { walked, read } = await readEveryWay('helm_charts', call, 100, []);
    expect(walked).toHaveLength(100);
    expect(read).toEqual(walked.slice(0, 10));
    await expect(call(helmCharts.operations.list, { query: { per_page: 100 } })).rejects.toMatchObject({
      problem: { code: 'too_large' },
    });
  });
});
