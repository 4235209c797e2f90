import { randomUUID } from 'node:crypto';
import {
  aTime,
  faultsAtManyRows,
  nthId,
  numbers,
  oneOf,
  type PlannedList,
  rowId,
  visible,
} from '@berth/testing/db/list-plans';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { createClusterRepository } from '../src/clusters/cluster-repository.ts';
import { createGrantRepository } from '../src/grants/grant-repository.ts';
import { createK8sResourceRepository } from '../src/resources/rows/k8s-resource-repository.ts';

const migrations = new URL('../migrations/', import.meta.url);

const lists: Record<string, PlannedList> = {
  cluster_role_grants: {
    rows: sql.fragment`
      insert into cluster_role_grants (id, created_at, env_id, kind_id, cluster_role, scope)
      select ${rowId}, ${aTime()}, ${nthId(oneOf(50, 1))}, ${nthId(oneOf(20, 2))}, 'role-' || n, 'Namespace'
      from ${numbers}`,
    // The owner answers with the scope of a deployment: its env and kind.
    values: { deployment_id: [randomUUID()] },
    list: (queries, { deployment_id, ...query }: { deployment_id?: string }, seeing) => {
      const scope = deployment_id === undefined ? undefined : { env_id: deployment_id, kind_id: deployment_id };
      return createGrantRepository(queries).list(query, visible[seeing], scope);
    },
  },
  k8s_clusters: {
    rows: sql.fragment`
      insert into k8s_clusters (
        id, created_at, provider_id, name, region_name, env_id, ignore, last_seen_at, is_ok, not_ok_reason
      )
      select ${rowId}, ${aTime()}, n, 'cluster ' || n, 'region ' || ${oneOf(20)}, ${nthId(oneOf(50, 1))}, false, ${aTime(2)},
        n % 50 > 0, case when n % 50 = 0 then 'silent' end
      from ${numbers}`,
    list: (queries, query, seeing) => createClusterRepository(queries).list(query, visible[seeing], query),
  },
  k8s_resources: {
    rows: sql.fragment`
      insert into k8s_resources (
        id, last_updated_at, cluster_id, deployment_id, kind, api_version, name, status_color, metadata, uid, namespace,
        fingerprint
      )
      select ${rowId}, ${aTime()}, ${nthId(sql.fragment`1 + ${oneOf(1_000)}`)}, ${nthId(oneOf(10_000, 1))},
        'Kind' || ${oneOf(10, 2)}, 'v1', 'object-' || ${oneOf(20_000, 3)}, '{Success}', '{}', n, 'n', 'f'
      from ${numbers}`,
    list: (queries, query, seeing) => createK8sResourceRepository(queries).list(query, visible[seeing], query),
  },
};

test('lists of cluster-sync read and sort little more than a page of 100,000 rows, whatever the order and filter', async () => {
  expect(await faultsAtManyRows({ owner: 'cluster-sync', migrations, lists })).toEqual([]);
}, 240_000);
