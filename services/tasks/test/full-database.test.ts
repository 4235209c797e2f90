import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openDatabase } from '@berth/db/postgres/open-database';
import { statement } from '@berth/db/statement';
import { createTestDatabase } from '@berth/testing/test-database';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../src/engine/operations/index.ts';

const migrations = new URL('../migrations/', import.meta.url);
const database = { log: { info: () => {}, warn: () => {} }, applicationName: 'full-database', maxConnections: 1 };

/** The schema before the engine kept what is installed: its last migration is 0054. */
async function oldMigrations(stack: AsyncDisposableStack): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-full-database-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const name of await readdir(migrations)) {
    if (name < '0055') await cp(join(fileURLToPath(migrations), name), join(folder, name));
  }
  return pathToFileURL(`${folder}/`);
}

/** What an open task may be, as columns. */
const states = {
  due: { status: 'Pending' },
  scheduled: { status: 'Pending', change: { enabled: false }, due_in: 86_400 },
  waiting: { status: 'Pending', attempts: 1, waited_ms: 5_000, fence: 7, helm_fence: 7, due_in: 60 },
  'handed back': { status: 'Pending', handed_back: 3, fence: 9 },
  claimed: { status: 'Started', fence: 5, lease_in: 30 },
  working: { status: 'Started', fence: 5, helm_fence: 5, attempts: 1, lease_in: 30 },
  canceling: { status: 'Started', fence: 5, helm_fence: 5, attempts: 1, lease_in: 30, is_canceled: true },
  silent: { status: 'Started', fence: 5, helm_fence: 5, attempts: 2, lease_in: -60 },
};

const each = 40;

test('the migrations keep each open task of a full database of the version before, in every state of every operation', async () => {
  await using stack = new AsyncDisposableStack();
  const before = await oldMigrations(stack);
  const { url } = stack.use(await createTestDatabase({ service: 'tasks', migrations: before }));
  const kinds = Object.entries(states).flatMap(([state, columns]) =>
    Object.keys(operations).map((operation) => ({ state, operation, ...columns })),
  );
  {
    await using old = await openDatabase({ url, migrations: before, ...database });
    await old.query(statement`
      create table kinds as
      select r.*, gen_random_uuid() as deployment_id, gen_random_uuid() as revision_id, n,
        row_number() over () as number, '00000000-0000-4000-8000-00000000000' || (n % 5) as cluster
      from jsonb_to_recordset(${JSON.stringify(kinds)}::jsonb) as r (
        state text, operation text, status text, change jsonb, due_in integer, attempts integer, waited_ms integer, fence bigint,
        helm_fence bigint, handed_back integer, lease_in integer, is_canceled boolean
      ), generate_series(1, ${each}::int) n
    `);
    await old.query(statement`
      insert into deployments (
        id, name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, revision_id, installed_cluster_id,
        installed_namespace, ingress_name, state
      )
      select deployment_id, 'd' || number, gen_random_uuid(), gen_random_uuid(), cluster::uuid, 'web-' || number,
        gen_random_uuid(), '{"replicas": 1}', revision_id, cluster::uuid, 'web-' || number, 'web-' || number, 'Running'
      from kinds
    `);
    const run = sql.fragment`jsonb_build_object(
      'action', 'deploy', 'cluster_id', d.cluster_id, 'namespace', d.namespace, 'deployment_name', d.name, 'kind', 'Web',
      'helm_chart_id', d.helm_chart_id, 'config', d.config, 'values_override', null
    )`;
    await old.query(statement`
      insert into deployment_tasks (
        id, created_at, execute_at, due_at, first_attempted_at, started_at, finished_at, cluster_id, env_id, deployment_id,
        operation, status, run
      )
      select k.revision_id, now(), now(), now(), now(), now(), now(), d.cluster_id, d.env_id, d.id, '{"Install": {}}', 'Done', ${run}
      from kinds k join deployments d on d.id = k.deployment_id
    `);
    await old.query(statement`
      insert into deployment_tasks (
        created_at, execute_at, due_at, first_attempted_at, started_at, cluster_id, env_id, deployment_id, operation, status, run,
        change, attempts, waited_ms, fence, helm_fence, handed_back, lease_until, runner, cancel_requested_at, requester, reason
      )
      select now(), now() + interval '1 second' * coalesce(k.due_in, 0), now() + interval '1 second' * coalesce(k.due_in, 0),
        case when k.fence > 0 then now() end, case when k.status = 'Started' then now() end, d.cluster_id, d.env_id, d.id,
        jsonb_build_object(k.operation, '{}'::jsonb), k.status, case when k.change is null then ${run} end, k.change,
        coalesce(k.attempts, 0), coalesce(k.waited_ms, 0), coalesce(k.fence, 0), coalesce(k.helm_fence, 0),
        coalesce(k.handed_back, 0), case when k.status = 'Started' then now() + interval '1 second' * k.lease_in end,
        case when k.status = 'Started' then 'runner-1' end, case when k.is_canceled then now() end,
        jsonb_build_object('kind', 'user', 'id', gen_random_uuid()), case when k.attempts > 0 then 'why' end
      from kinds k join deployments d on d.id = k.deployment_id
    `);
    await old.query(statement`create table tasks_before as select id, to_jsonb(t) as columns from deployment_tasks t`);
  }

  await using db = await openDatabase({ url, migrations, ...database });

  const { counts } = await db.one(sql.type(z.object({ counts: z.record(z.string(), z.number()) }))`
    select jsonb_build_object(
      'open tasks', count(*) filter (where t.status in ('Pending', 'Started')),
      'changed', count(*) filter (where t.id is null or not to_jsonb(t) @> b.columns),
      'waiting or hidden', count(*) filter (where t.awaits_readiness or t.may_await or t.skips_hooks or t.hidden_inputs is not null)
    ) as counts
    from tasks_before b left join deployment_tasks t on t.id = b.id
  `);
  expect(counts).toEqual({ 'open tasks': kinds.length * each, changed: 0, 'waiting or hidden': 0 });
  const effects = await db.any(sql.type(z.object({ variant: z.string(), effect: z.string() }))`
    select distinct variant, effect from deployment_tasks order by variant
  `);
  expect(Object.fromEntries(effects.map(({ variant, effect }) => [variant, effect]))).toEqual(
    Object.fromEntries(Object.entries(operations).map(([name, { effect }]) => [name, effect])),
  );

  // What runs and what a started change may have installed: both count until the change has ended.
  const wrong = await db.any(sql.type(z.object({ state: z.string(), operation: z.string() }))`
    select distinct k.state, k.operation from kinds k
    where (select count(*) from installed_runs i where i.deployment_id = k.deployment_id)
        <> 1 + (k.status = 'Started' and k.operation in ('Install', 'Upgrade'))::int
      or not exists (select from installed_runs i where i.deployment_id = k.deployment_id and i.task_id = k.revision_id)
      or not exists (select from names_on_clusters n where n.deployment_id = k.deployment_id and n.what = 'namespace')
      or not exists (select from names_on_clusters n where n.deployment_id = k.deployment_id and n.what = 'hostname')
  `);
  expect(wrong).toEqual([]);
}, 120_000);
