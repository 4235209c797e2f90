import {
  aTime,
  faultsAtManyRows,
  nthId,
  numbers,
  oneEnv,
  oneOf,
  type PlannedList,
  rowId,
  someIds,
  visible,
} from '@berth/testing/db/list-plans';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { createDeploymentRepository } from '../src/store/deployments/deployment-repository.ts';
import { createResourceRepository } from '../src/store/resources/resource-repository.ts';
import { createTypeRepository } from '../src/store/resources/type-repository.ts';
import { createSecretRepository } from '../src/store/secrets/secret-repository.ts';
import { createTaskRepository } from '../src/store/tasks/task-repository.ts';

const migrations = new URL('../migrations/', import.meta.url);
const env = nthId(oneOf(50, 7));

const lists: Record<string, PlannedList> = {
  deployments: {
    rows: sql.fragment`
      insert into deployments (
        id, created_at, name, kind_id, env_id, cluster_id, namespace, enabled, state, helm_chart_id, config,
        health_state
      )
      select ${rowId}, ${aTime()}, 'deployment ' || n, ${nthId(oneOf(2_000, 1))}, ${env}, ${nthId(oneOf(1_000, 2))}, 'n' || n,
        n % 20 > 0, case when n % 400 = 0 then 'Error' when n % 10 = 0 then 'Uninstalled' else 'Running' end,
        ${nthId(oneOf(2_000, 3))}, jsonb_build_object('input', repeat('x', 200)),
        case when n % 151 = 0 then 'Degraded' when n % 11 = 0 then null else 'Healthy' end
      from ${numbers}`,
    list: (queries, query, seeing) => createDeploymentRepository(queries).list(query, visible[seeing]),
    values: {
      ids: [someIds],
      needs_attention: [true, false],
      uses: ['00000000-0000-4000-8000-000000000007'],
      name: ['t 4711', 'deploy', 'xyz'],
      enabled: [true, false],
      status: ['Error', 'Running', 'Uninstalled', 'Installing'],
      health: ['Degraded', 'Healthy', 'Unknown'],
    },
  },
  deployment_tasks: {
    rows: sql.fragment`
      insert into deployment_tasks (
        id, created_at, execute_at, due_at, started_at, finished_at, cluster_id, env_id, deployment_id, acting_user_id,
        operation, effect, status, lease_until
      )
      select ${rowId}, at, at, at, case when n % 200 > 0 then at end, case when n % 200 > 1 then at end,
        ${nthId(oneOf(1_000, 2))}, ${env}, ${nthId(sql.fragment`1 + ${oneOf(5_000, 4)}`)},
        case when n % 2 = 0 then ${nthId(sql.fragment`0`)} when n % 400 > 1 then ${nthId(oneOf(500, 10))} end,
        '{"Uninstall": {}}', 'removes',
        case n % 200 when 0 then 'Pending' when 1 then 'Canceled' when 2 then 'Failed' else 'Done' end, null
      from (select n, ${aTime()} as at from ${numbers}) rows`,
    list: (queries, query, seeing) => createTaskRepository(queries).list(query, visible[seeing]),
    values: {
      ids: [someIds],
      env_id: [oneEnv],
      acting_user_id: ['00000000-0000-4000-8000-000000000007', '00000000-0000-4000-8000-000000000000', null],
      status: ['Pending', 'Done', 'Failed', 'Started'],
      active_only: [true, false],
      show_future: [true, false],
      created_from: ['2024-08-18T00:00:00Z'],
    },
  },
  secrets: {
    rows: sql.fragment`
      insert into secrets (id, created_at, updated_at, env_id, collection, name, key_id, wrapped_key, sealed_contents)
      select ${rowId}, ${aTime()}, ${aTime(5)}, ${env}, 'collection-' || ${oneOf(2_000, 6)}, 'secret-' || n, 'k', '\\x00', '\\x00'
      from ${numbers}`,
    list: (queries, query, seeing) => createSecretRepository(queries).list(query, visible[seeing]),
  },
  deployment_resource_types: {
    rows: sql.fragment`
      insert into deployment_resource_types (id, created_at, env_id, deployment_kind_id, key, spec)
      select ${rowId}, ${aTime()}, case when n % 1000 > 0 then ${env} end, ${nthId(sql.fragment`n % 2000`)}, 'key-' || n / 50, '{}'
      from ${numbers}`,
    list: (queries, query, seeing) => createTypeRepository(queries).list(query, visible[seeing]),
    values: { env_id: [oneEnv, null], key: ['key-77'] },
  },
  deployment_resources: {
    rows: sql.fragment`
      insert into deployment_resources (
        id, created_at, type_id, env_id, deployment_id, name, props, sync_status
      )
      select ${rowId}, ${aTime()}, ${nthId(sql.fragment`1 + ${oneOf(500, 8)}`)}, ${env},
        case when n % 2000 > 0 then ${nthId(sql.fragment`1 + ${oneOf(5_000, 9)}`)} end, 'resource-' || n, '{}',
        case when n % 300 = 0 then 'Error' when n % 301 = 0 then 'Updating' else 'Ready' end
      from ${numbers}`,
    list: (queries, query, seeing) => createResourceRepository(queries).list(query, visible[seeing]),
    values: { env_id: [oneEnv], deployment_id: ['00000000-0000-4000-8000-000000000009', null] },
  },
};

test('each list of tasks reads and sorts about a page of 100,000 rows, whatever the order and filter', async () => {
  expect(await faultsAtManyRows({ owner: 'tasks', migrations, lists })).toEqual([]);
}, 240_000);
