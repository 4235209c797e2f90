import type { Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { nthId, rowId } from '@berth/testing/db/list-plans';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createResourceCalls } from '../../src/store/resources/resource-call-repository.ts';

const migrations = new URL('../../migrations/', import.meta.url);
/** The most resources of one deployment. */
const perDeployment = 10_000;

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  await database.db.transaction(async (tx) => {
    // Turns off foreign keys, since these rows refer to rows that do not exist.
    await tx.query(statement`set local session_replication_role = replica`);
    await tx.query(statement`
      insert into deployments (id, name, kind_id, env_id, cluster_id, namespace, enabled, state, helm_chart_id, config,
        installed_cluster_id, installed_namespace, revision_id)
      select ${rowId}, 'd' || n, ${nthId(sql.fragment`1`)}, ${nthId(sql.fragment`2`)}, ${nthId(sql.fragment`3`)}, 'n' || n,
        n > 3, 'Running', ${nthId(sql.fragment`4`)}, '{}', ${nthId(sql.fragment`3`)}, 'n' || n, ${nthId(sql.fragment`5`)}
      from generate_series(1, 5) n
    `);
    // The first three are disabled; the charts of the others no longer define the type.
    await tx.query(statement`
      insert into deployment_resources (id, type_id, env_id, deployment_id, name, props, sync_status)
      select ${rowId}, ${nthId(sql.fragment`1 + n % 3`)}, ${nthId(sql.fragment`2`)}, ${nthId(sql.fragment`1 + n % 5`)}, 'r' || n,
        '{}', 'Creating'
      from generate_series(1, ${5 * perDeployment}) n
    `);
  });
  await database.db.query(statement`analyze deployment_resources`);
});
afterAll(() => database?.[Symbol.asyncDispose]());

const Explained = z.object({
  'QUERY PLAN': z.tuple([
    z.object({
      Plan: z.object({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number(), 'Actual Rows': z.number() }),
    }),
  ]),
});

test('a claim of calls reads a few pages, even if 50,000 resources wait for deployments that cannot be called', async () => {
  const plans: z.infer<typeof Explained>[] = [];
  await database.db.transaction(async (tx) => {
    const explaining: Transaction = {
      ...tx,
      any: async (query) => {
        plans.push(
          await tx.one({
            ...query,
            sql: `explain (analyze, buffers, timing off, format json) ${query.sql}`,
            parser: sql.type(Explained)``.parser,
          }),
        );
        return [];
      },
    };
    await createResourceCalls(explaining).lockDue('quick', 8);
  });

  const [plan] = plans.map((each) => each['QUERY PLAN'][0]);
  expect(plan?.Plan['Actual Rows']).toBe(0);
  expect((plan?.Plan['Shared Hit Blocks'] ?? 0) + (plan?.Plan['Shared Read Blocks'] ?? 0)).toBeLessThan(200);
});
