import type { Database } from '@berth/db/database';
import {
  aTime,
  faultsAtManyRows,
  nthId,
  numbers,
  oneOf,
  type PlannedList,
  rowId,
  someIds,
} from '@berth/testing/db/list-plans';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { createChartRepository } from '../src/charts/chart-repository.ts';
import { createChartVersionRepository } from '../src/charts/chart-version-repository.ts';
import { createKindRepository } from '../src/kinds/kind-repository.ts';
import { createRegistryRepository } from '../src/registries/registry-repository.ts';
import { createTagFormatRepository } from '../src/tag-formats/tag-format-repository.ts';

const migrations = new URL('../migrations/', import.meta.url);

const lists: Record<string, PlannedList> = {
  deployment_kinds: {
    rows: sql.fragment`
      insert into deployment_kinds (id, created_at, name) select ${rowId}, ${aTime()}, 'kind ' || n from ${numbers}`,
    list: (queries, query) => createKindRepository(queries).list(query),
  },
  helm_registries: {
    rows: sql.fragment`
      insert into helm_registries (id, created_at, domain_name, repo_name, kind_id, provider)
      select ${rowId}, ${aTime()}, 'registry-' || n % 3 || '.example.test', 'charts/' || (n / 3),
        ${nthId(oneOf(50_000))}, 'Oci'
      from ${numbers}`,
    list: (queries, query) => createRegistryRepository(queries).list(query),
  },
  helm_tag_formats: {
    rows: sql.fragment`
      insert into helm_tag_formats (id, created_at, pattern) select ${rowId}, ${aTime()}, 'pattern ' || n from ${numbers}`,
    list: (queries, query) => createTagFormatRepository(queries).list(query),
  },
  helm_charts: {
    rows: sql.fragment`
      insert into helm_charts (
        id, created_at, helm_registry_id, image_digest, image_tag, available, parsed_version, parsed_branch, archive_digest,
        is_final, formats_revision
      )
      select ${rowId}, ${aTime()}, ${nthId(sql.fragment`1 + ${oneOf(300)}`)}, n, '1.0.' || n, n % 10 > 0, '1.0.' || n / 4,
        case when n % 3 = 0 then 'main' else 'branch-' || ${oneOf(2_000, 1)} end, n, true, 1
      from ${numbers}`,
    list: (queries, query) => createChartRepository(queries).list(query),
    values: {
      available: [true, false],
      in_use: [true, false],
      kind_id: ['00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-00000000fffe'],
      image_tag: ['1.0.77'],
      parsed_version: ['1.0.77'],
      parsed_branch: ['main', 'branch-77'],
    },
  },
  chart_versions: {
    list: (queries, query) => createChartVersionRepository(queries).list(query),
    values: {
      ids: [someIds],
      available: [true, false],
      kind_id: ['00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-00000000fffe'],
      parsed_branch: ['main', 'branch-77'],
    },
  },
};

test('lists of registry-scan read and sort little more than a page of 100,000 rows, whatever the order and filter', async () => {
  const before = (db: Database) =>
    db.query(sql.unsafe`
      insert into deployment_projection (id, version, deleted, helm_chart_id)
      select ${rowId}, 1, false, ${nthId(sql.fragment`20 * (1 + ${oneOf(5_000)})`)} from ${numbers}
    `);

  expect(await faultsAtManyRows({ owner: 'registry-scan', migrations, lists, before })).toEqual([]);
}, 240_000);
