import { randomUUID } from 'node:crypto';
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
import { readingStore } from '../src/store/store.ts';

const migrations = new URL('../migrations/', import.meta.url);
const database = { log: { info: () => {}, warn: () => {} }, applicationName: 'old-rows', maxConnections: 1 };

/** The schema before the migration under test. */
async function oldMigrations(stack: AsyncDisposableStack): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-old-rows-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const name of await readdir(migrations)) {
    if (name < '0006') await cp(join(fileURLToPath(migrations), name), join(folder, name));
  }
  return pathToFileURL(`${folder}/`);
}

test('rows without sizes, waits and requesters work and are counted after the migrations', async () => {
  await using stack = new AsyncDisposableStack();
  const before = await oldMigrations(stack);
  const { url } = stack.use(await createTestDatabase({ service: 'tasks', migrations: before }));

  const deployment = randomUUID();
  const chart = randomUUID();
  const cluster = randomUUID();
  const env = randomUUID();
  const user = randomUUID();
  const bot = randomUUID();
  const inputs = { helm_chart_id: chart, config_inputs: { text: 'ä"\\' }, values_override: null };
  const place = { cluster_id: cluster, namespace: 'web-old', deployment_name: 'old', kind: 'Web' };
  const run = { action: 'deploy', ...place, helm_chart_id: chart, config: { text: 'ä"\\' }, values_override: null };
  const upgrade = { ...inputs, prev_helm_chart_id: chart, config_delta: { ['k'.repeat(3_000_000)]: [1, 2] } };
  const scheduled = { status: 'Pending', operation: { Uninstall: {} }, change: { enabled: false } };
  const rows = [
    { status: 'Failed', operation: { Upgrade: upgrade }, run, fence: 3 },
    { status: 'Started', operation: { Install: inputs }, run, fence: 1 },
    { ...scheduled, acting_user_id: user },
    scheduled,
    { status: 'Pending', operation: { Reinstall: { reason: 'old' } } },
  ].map((row) => ({ id: randomUUID(), deployment_id: deployment, cluster_id: cluster, env_id: env, ...row }));
  {
    await using old = await openDatabase({ url, migrations: before, ...database });
    await old.query(statement`
      insert into deployments (id, name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, description_md)
      values (${deployment}, 'old', ${chart}, ${env}, ${cluster}, 'web-old', ${chart}, '{"a": "ä"}', ${'a\n"b"'})
    `);
    await old.query(statement`
      insert into deployment_tasks (
        id, created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, operation, status, run,
        change, attempts, fence, lease_until
      )
      select r.id, now(), now(), now(), r.cluster_id, r.env_id, r.deployment_id, r.acting_user_id, r.operation, r.status,
        r.run, r.change, coalesce(r.fence, 0), coalesce(r.fence, 0), case when r.status = 'Started' then now() end
      from jsonb_populate_recordset(null::deployment_tasks, ${JSON.stringify(rows)}::jsonb) r
    `);
    await old.query(statement`
      insert into outbox (resource, id, version, operation, row)
      select 'deployment_tasks', id, nextval('outbox_version'), 'INSERT', jsonb_build_object('id', id, 'status', status, 'operation', operation)
      from deployment_tasks
    `);
    await old.query(statement`
      insert into audit_log (actor_kind, actor_id, action, resource, object_id, details)
      values ('bot', ${bot}, 'create', 'deployment_tasks', ${rows[3]?.id ?? null}, '{}')
    `);
  }

  await using db = await openDatabase({ url, migrations, ...database });
  const { tasks, deployments, leases } = readingStore(db);
  const [failed, started, ofUser, ofBot, reinstall] = await Promise.all(rows.map(({ id }) => tasks.lock(id)));

  expect(failed).toMatchObject({ operation: { Upgrade: { config_delta: null } }, helm_fence: 0 });
  expect(started).toMatchObject({ attempts: 1, fence: 1, helm_fence: 1, waited_ms: 0, handed_back: 0 });
  expect(ofUser?.requester).toEqual({ kind: 'user', id: user });
  expect(ofBot?.requester).toEqual({ kind: 'bot', id: bot });
  expect(reinstall?.requester).toBeNull();
  expect(await deployments.record(deployment)).toMatchObject({ namespace: 'web-old', description_md: 'a\n"b"' });
  expect(
    (await tasks.open(deployment)).map(({ variant, effect, deploys, is_scheduled }) => [
      variant,
      effect,
      deploys,
      is_scheduled,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['Install', 'installs', true, false],
      ['Uninstall', 'removes', false, true],
      ['Reinstall', 'repeats', false, false],
    ]),
  );
  expect((await tasks.sizeOfOpen(deployment)).bytes).toBeGreaterThan(100);
  expect((await tasks.list({ status: 'Pending', per_page: 1 }, 'all')).num_total).toBe(3);
  expect(await tasks.isAnyCheckDue()).toBe(true);
  expect(await leases.expired()).toHaveLength(1);
  const recorded = sql.type(z.object({ n: z.number().int() }))`
    select count(*) as n from outbox where row ?& array['id', 'status'] and not row ? 'operation'
  `;
  expect(await db.one(recorded)).toEqual({ n: rows.length });
});

test('a task that the previous version adds after the migration gets its name and effect, even for a newer operation', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase({ service: 'tasks', migrations }));
  await using db = await openDatabase({ url, migrations, ...database });
  const place = { old_cluster_id: 'c1', old_namespace: 'web-a', new_cluster_id: 'c1', new_namespace: 'web-b' };
  const inputs = { helm_chart_id: 'h1', config_inputs: {}, values_override: null };
  const added = [{ Upgrade: inputs }, { Recreate: place }, { InvokeAction: {} }, { PauseDeployment: {} }];

  const rows = await db.any(sql.type(
    z.object({ variant: z.string(), effect: z.string(), checks_requester: z.boolean() }),
  )`
    insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation)
    select now(), now() + interval '1 hour', now(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), operation
    from jsonb_array_elements(${JSON.stringify(added)}::jsonb) operation
    returning variant, effect, checks_requester
  `);

  expect(rows).toEqual([
    { variant: 'Upgrade', effect: 'installs', checks_requester: false },
    { variant: 'Recreate', effect: 'moves', checks_requester: false },
    { variant: 'InvokeAction', effect: 'keeps', checks_requester: true },
    { variant: 'PauseDeployment', effect: 'keeps', checks_requester: true },
  ]);
});
