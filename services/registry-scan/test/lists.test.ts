import { limits } from '@berth/shared/bus/limits';
import type { ListRequest } from '@berth/shared/contracts/paging';
import { type OpenTestDatabase, openTestDatabase } from '@berth/shared/testing/open-test-database';
import { extremeTimes, listedResources, walkList } from '@berth/shared/testing/walk-list';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createChartRepository } from '../src/charts/chart-repository.ts';
import { createKindRepository } from '../src/kinds/kind-repository.ts';
import { createRegistryRepository } from '../src/registries/registry-repository.ts';
import { createTagFormatRepository } from '../src/tag-formats/tag-format-repository.ts';

const withId = sql.type(z.object({ id: z.string() }));
const migrations = new URL('../migrations/', import.meta.url);

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'registry-scan', migrations });
  await database.db.query(withId`delete from helm_tag_formats`);
});
afterAll(() => database?.[Symbol.asyncDispose]());

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;

interface ListOfRows {
  insert: FragmentSqlToken;
  page: (request: ListRequest) => Promise<{ items: readonly { id: string }[]; next?: string | null | undefined }>;
}

/** In this order: later tables refer to rows of earlier ones. */
const lists: Record<string, ListOfRows> = {
  deployment_kinds: {
    insert: sql.fragment`insert into deployment_kinds (name, created_at) select n, at from ${times}`,
    page: (request) => createKindRepository(database.db).list(request),
  },
  helm_registries: {
    insert: sql.fragment`
      insert into helm_registries (domain_name, repo_name, kind_id, provider, created_at)
      select 'registry.example.com', n, (select id from deployment_kinds limit 1), 'Oci', at from ${times}`,
    page: (request) => createRegistryRepository(database.db).list(request),
  },
  helm_charts: {
    insert: sql.fragment`
      insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
        created_at)
      select (select id from helm_registries limit 1), n, '1.0.0', n, true, 1, at from ${times}`,
    page: (request) => createChartRepository(database.db).list(request),
  },
  helm_tag_formats: {
    insert: sql.fragment`insert into helm_tag_formats (pattern, created_at) select n, at from ${times}`,
    page: (request) => createTagFormatRepository(database.db).list(request),
  },
};

describe('timestamps at the limits of Postgres', () => {
  test('are tested for every list', () => {
    expect(Object.keys(lists).toSorted()).toEqual(listedResources('registry-scan').toSorted());
  });

  test.for(Object.entries(lists))('do not end a walk over %s', async ([, { insert, page }]) => {
    const rows = await database.db.any(withId`${insert} returning id`);

    expect(await walkList((after) => page({ after, per_page: 1 }))).toEqual(rows.map(({ id }) => id));
  });
});

test('a hundred charts with the largest extensions are split into pages that fit into an answer', async () => {
  const { list } = createChartRepository(database.db);
  const values_ui = { text: '"'.repeat(60 * 1024) };
  await database.db.query(withId`
    insert into helm_charts (helm_registry_id, image_digest, image_tag, archive_digest, is_final, formats_revision,
      values_ui, error)
    select (select id from helm_registries limit 1), 'large ' || n, repeat('t', 128), 'digest', true, 1,
      ${sql.jsonb(values_ui)}, repeat('"', 2000)
    from generate_series(1, 100) n
  `);

  const first = await list({ after: '', per_page: 100 });
  expect(first.items.length).toBeGreaterThan(1);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
  expect(await walkList((after) => list({ after, per_page: 100 }))).toHaveLength(first.num_total);
  await expect(list({ per_page: 100 })).rejects.toMatchObject({ code: 'too_large' });
});
