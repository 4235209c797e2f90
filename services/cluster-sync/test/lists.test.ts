import { startGatewayProcess, startSiteAdminAuth } from '@berth/devstack/testing/gateway-process';
import { limits } from '@berth/bus/protocol/limits';
import { clusterRoleGrants } from '@berth/contracts/resources/clusters/cluster-role-grants';
import { k8sClusters } from '@berth/contracts/resources/clusters/k8s-clusters';
import { k8sResources } from '@berth/contracts/resources/clusters/k8s-resources';
import { outboxRelay } from '@berth/db/outbox/outbox-relay';
import { largestBody, resourcesWithTexts } from '@berth/testing/contracts/largest-body';
import { silentLog } from '@berth/testing/test-bus';
import { ignoredFilters } from '@berth/testing/contracts/ignored-filters';
import {
  type CallOperation,
  extremeTimes,
  largestOf,
  listedResources,
  readEveryWay,
  wrongOrders,
} from '@berth/testing/contracts/walk-list';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { storableMetadata } from '../src/resources/objects/storable-metadata.ts';
import { type ServiceInTest, startServiceInTest } from './support/service-in-test.ts';

const withId = sql.type(z.object({ id: z.string() }));
const envId = crypto.randomUUID();
const kindId = crypto.randomUUID();

const servers = new AsyncDisposableStack();
let service: ServiceInTest;
beforeAll(async () => {
  service = servers.use(await startServiceInTest());
  servers.use(await startSiteAdminAuth(service.nats));
  const gateway = servers.use(await startGatewayProcess(service.nats));
  call = gateway.as({ token: 'any' });
  service.envs = [envId];
  service.kinds = [kindId];
});
afterAll(() => servers.disposeAsync());

/** As a site admin, over HTTP. */
let call: CallOperation;

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;

/** In this order: later tables refer to rows of earlier ones. */
const inserts: Record<string, FragmentSqlToken> = {
  cluster_role_grants: sql.fragment`
      insert into cluster_role_grants (env_id, kind_id, cluster_role, scope, created_at)
      select gen_random_uuid(), gen_random_uuid(), n, 'Cluster', at from ${times}`,
  k8s_clusters: sql.fragment`
      insert into k8s_clusters (provider_id, name, region_name, ignore, created_at, last_seen_at)
      select n, n, 'here', false, at, at from ${times}`,
  k8s_resources: sql.fragment`
      insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
        namespace, fingerprint, last_updated_at)
      select gen_random_uuid(), (select id from k8s_clusters limit 1), gen_random_uuid(), 'Pod', 'v1', n, '{}', '{}', n,
        'web', 'f', at from ${times}`,
};

describe('timestamps at the limits of Postgres', () => {
  test('are tested for every list', () => {
    expect(Object.keys(inserts).toSorted()).toEqual(listedResources('cluster-sync').toSorted());
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
  const clusters = 10;
  const { update } = k8sClusters.operations;
  const { create: grant } = clusterRoleGrants.operations;

  test('are tested for every resource with texts', () => {
    expect(resourcesWithTexts('cluster-sync')).toEqual(['cluster_role_grants', 'k8s_clusters']);
  });

  test('can be read by id and in every list of cluster_role_grants', async () => {
    await service.db.query(withId`truncate cluster_role_grants`);
    for (let n = 0; n < 10; n += 1) {
      const given = { env_id: envId, kind_id: kindId };
      await call(grant, { body: largestBody(grant, { mark: String(100 + n), given }) });
    }

    const { walked, read, sorted } = await readEveryWay('cluster_role_grants', call, 100);

    expect(walked).toHaveLength(10);
    expect(read).toEqual(walked);
    for (const ids of Object.values(sorted)) expect(ids).toHaveLength(10);
  });

  test('can be read by id and in every list of k8s_clusters, and reach the projection in tasks', async () => {
    await service.db.query(withId`truncate k8s_clusters cascade`);
    const rows = await service.db.any(withId`
      insert into k8s_clusters (provider_id, name, region_name, ignore, is_ok, not_ok_reason)
      select 'test:' || n, repeat('c', 253), repeat('r', 100), false, false, repeat('"', 500)
      from generate_series(1, ${clusters}) n
      returning id
    `);
    const change = (id: string, n: number) => {
      const largestAs = n % 2 === 0 ? 'json' : 'utf8';
      const body = largestBody(update, { mark: String(100 + n), largestAs, given: { env_id: envId } });
      return call(update, { id, body });
    };
    for (const [n, { id }] of rows.entries()) await change(id, n);
    const copy = new Map<string, unknown>();
    const end = new AbortController();
    const { bus, db, tasks } = service;
    const loops = [
      outboxRelay({ db, bus, owner: 'cluster-sync', log: silentLog })(end.signal),
      tasks.state.follow(k8sClusters, { signal: end.signal, apply: async ({ id, row }) => void copy.set(id, row) }),
    ];

    const { walked, read, sorted } = await readEveryWay('k8s_clusters', call, 100);

    expect(walked).toHaveLength(clusters);
    expect(read).toEqual(walked.slice(0, 10));
    for (const ids of Object.values(sorted)) expect(ids).toHaveLength(clusters);
    expect(100 * largestOf(walked)).toBeLessThan(limits.responseBytes);
    await vi.waitFor(() => expect(walked.filter(({ id }) => !copy.has(id))).toEqual([]));
    expect(walked.map(({ id }) => copy.get(id))).toEqual(walked);
    end.abort();
    await Promise.all(loops);
  });

  test('tracked resources of the largest size are split into pages that fit into an answer', async () => {
    const metadata = storableMetadata({ name: 'web', labels: { note: 'あ'.repeat(32_000) } });
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBeGreaterThan(90_000);
    await service.db.query(withId`
      insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
        namespace, fingerprint)
      select gen_random_uuid(), (select id from k8s_clusters limit 1), gen_random_uuid(), 'Job', 'v1', 'large',
        array_fill('Secondary'::text, array[1000]), ${sql.jsonb(metadata)}, 'large ' || n, 'web', 'f'
      from generate_series(1, 100) n
    `);
    const { list } = k8sResources.operations;

    const first = await call(list, { query: { after: '', per_page: 100 } });
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
    const { walked, read } = await readEveryWay('k8s_resources', call, 100, []);
    expect(walked).toHaveLength(100);
    expect(read).toEqual(walked.slice(0, 10));
    await expect(call(list, { query: { per_page: 100 } })).rejects.toMatchObject({ problem: { code: 'too_large' } });
  });
});
