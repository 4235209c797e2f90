import { limits } from '@berth/shared/bus/limits';
import type { ListRequest } from '@berth/shared/contracts/paging';
import { type OpenTestDatabase, openTestDatabase } from '@berth/shared/testing/open-test-database';
import { extremeTimes, listedResources, walkList } from '@berth/shared/testing/walk-list';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClusterRepository } from '../src/clusters/cluster-repository.ts';
import { createK8sResourceRepository } from '../src/resources/rows/k8s-resource-repository.ts';
import { storableMetadata } from '../src/resources/objects/storable-metadata.ts';

const withId = sql.type(z.object({ id: z.string() }));
const migrations = new URL('../migrations/', import.meta.url);

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;

interface ListOfRows {
  insert: FragmentSqlToken;
  page: (request: ListRequest) => Promise<{ items: readonly { id: string }[]; next?: string | null | undefined }>;
}

/** In this order: later tables refer to rows of earlier ones. */
const lists: Record<string, ListOfRows> = {
  k8s_clusters: {
    insert: sql.fragment`
      insert into k8s_clusters (provider_id, name, region_name, ignore, created_at, last_seen_at)
      select n, n, 'here', false, at, at from ${times}`,
    page: (request) => createClusterRepository(database.db).list({}, 'all', request),
  },
  k8s_resources: {
    insert: sql.fragment`
      insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
        namespace, fingerprint, last_updated_at)
      select gen_random_uuid(), (select id from k8s_clusters limit 1), gen_random_uuid(), 'Pod', 'v1', n, '{}', '{}', n,
        'web', 'f', at from ${times}`,
    page: (request) => createK8sResourceRepository(database.db).list({}, 'all', request),
  },
};

describe('timestamps at the limits of Postgres', () => {
  test('are tested for every list', () => {
    expect(Object.keys(lists).toSorted()).toEqual(listedResources('cluster-sync').toSorted());
  });

  test.for(Object.entries(lists))('do not end a walk over %s', async ([, { insert, page }]) => {
    const rows = await database.db.any(withId`${insert} returning id`);

    expect(await walkList((after) => page({ after, per_page: 1 }))).toEqual(rows.map(({ id }) => id));
  });
});

test('a hundred tracked resources with the largest metadata are split into pages that fit into an answer', async () => {
  const { list } = createK8sResourceRepository(database.db);
  const metadata = storableMetadata({ name: 'web', labels: { note: 'あ'.repeat(32_000) } });
  expect(Buffer.byteLength(JSON.stringify(metadata))).toBeGreaterThan(90_000);
  await database.db.query(withId`
    insert into k8s_resources (id, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid,
      namespace, fingerprint)
    select gen_random_uuid(), (select id from k8s_clusters limit 1), gen_random_uuid(), 'Job', 'v1', 'large',
      array_fill('Secondary'::text, array[1000]), ${sql.jsonb(metadata)}, 'large ' || n, 'web', 'f'
    from generate_series(1, 100) n
  `);

  const first = await list({}, 'all', { after: '', per_page: 100 });
  expect(first.items.length).toBeGreaterThan(1);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
  expect(await walkList((after) => list({}, 'all', { after, per_page: 100 }))).toHaveLength(first.num_total);
  await expect(list({}, 'all', { per_page: 100 })).rejects.toMatchObject({ code: 'too_large' });
});
