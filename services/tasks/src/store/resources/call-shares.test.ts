import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { insertCluster, insertDeployment, insertTask } from '../../../test/support/sample-rows.ts';
import { createResourceCalls } from './resource-call-repository.ts';

const migrations = new URL('../../../migrations/', import.meta.url);
const withId = sql.type(z.object({ id: z.uuid() }));

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database[Symbol.asyncDispose]());

/** A running deployment that manages resources of one type. */
async function insertManager(env_id: string): Promise<{ deployment_id: string; type_id: string }> {
  const { db } = database;
  const cluster_id = await insertCluster(db, { env_id });
  const deployment_id = await insertDeployment(db, cluster_id);
  const task_id = await insertTask(db, { cluster_id, deployment_id, env_id, status: 'Done' });
  const { id: type_id } = await db.one(withId`
    insert into deployment_resource_types (deployment_kind_id, key, spec) values (${randomUUID()}, 'bucket', '{}') returning id
  `);
  await db.query(statement`
    insert into helm_chart_projection (id, version, deleted, helm_registry_id, image_tag, available)
    select run_chart_id, 1, false, run_chart_id, 'v1.0.0', true from deployment_tasks where id = ${task_id} on conflict do nothing
  `);
  await db.query(
    statement`insert into installed_runs (deployment_id, task_id) values (${deployment_id}, ${task_id}) on conflict do nothing`,
  );
  await db.query(statement`
    update deployments set env_id = ${env_id}, state = 'Running', revision_id = ${task_id}, installed_cluster_id = ${cluster_id},
      installed_namespace = namespace
    where id = ${deployment_id}
  `);
  await db.query(statement`
    insert into resource_type_registrations (deployment_id, type_id, spec) values (${deployment_id}, ${type_id}, '{}')
  `);
  return { deployment_id, type_id };
}

/** Resources whose calls have been due for this long, in seconds. */
async function queue(env_id: string, { count, since }: { count: number; since: number }): Promise<void> {
  const { deployment_id, type_id } = await insertManager(env_id);
  await database.db.query(statement`
    insert into deployment_resources (id, type_id, env_id, deployment_id, name, props, sync_status, due_at)
    select gen_random_uuid(), ${type_id}, ${env_id}, ${deployment_id}, 'r' || n, '{}', 'Creating',
      now() - ${since} * interval '1 second' + n * interval '1 millisecond'
    from generate_series(1, ${count}) n
  `);
}

/** The envs of the next calls, each claimed alone and then under way. */
async function claims(count: number): Promise<(string | undefined)[]> {
  const taken: (string | undefined)[] = [];
  for (let n = 0; n < count; n += 1) {
    const [next] = await database.db.transaction((tx) => createResourceCalls(tx).lockDue('quick', 1));
    taken.push(next?.env_id);
    await database.db.query(statement`
      update deployment_resources set fence = 1, due_at = now() + interval '1 minute' where id = ${next?.id ?? randomUUID()}
    `);
  }
  return taken;
}

test('calls for resources are shared among envs: one with many deployments does not hold the runners while another waits', async () => {
  const [busy, quiet] = [randomUUID(), randomUUID()];
  for (const since of [100, 90, 80]) await queue(busy, { count: 5, since });
  await queue(quiet, { count: 5, since: 10 });

  // Each deployment has at most two calls at a time.
  expect(await claims(9)).toEqual([busy, quiet, busy, quiet, busy, busy, busy, busy, undefined]);
});
