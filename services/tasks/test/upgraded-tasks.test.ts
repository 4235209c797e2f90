import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Database } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sampleChart } from './support/sample-charts.ts';
import { envId, kindId, startTasksInTest } from './support/tasks-in-test.ts';

const { owner } = sampleIdentities;
const migrations = new URL('../migrations/', import.meta.url);
const stored = sql.type(z.object({ id: z.uuid(), status: z.string() }));

/** The schema of b87571e. */
async function earlierMigrations(stack: AsyncDisposableStack): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-upgraded-tasks-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const name of await readdir(migrations)) {
    if (name < '0055') await cp(join(fileURLToPath(migrations), name), join(folder, name));
  }
  return pathToFileURL(`${folder}/`);
}

const chart = sampleChart();
const clusterId = randomUUID();
const user = { kind: 'user', id: owner.id };

interface Fields extends Record<string, unknown> {
  installed_namespace?: string;
}

/** A deployment and its open tasks, as that version stored them; a release has the task that installed it, too. */
function upgraded(name: string, fields: Fields, ...tasks: readonly object[]) {
  const id = randomUUID();
  const namespace = `web-${name}`;
  const deployment = {
    id,
    name,
    kind_id: kindId,
    env_id: envId,
    cluster_id: clusterId,
    namespace,
    enabled: true,
    helm_chart_id: chart.id,
    config: { replicas: 1 },
    ...fields,
  };
  const common = { env_id: envId, cluster_id: clusterId, deployment_id: id, acting_user_id: owner.id, requester: user };
  const row = (task: object) => ({ id: randomUUID(), status: 'Pending', attempts: 0, fence: 0, ...common, ...task });
  const before = fields.installed_namespace?.replace('web-', '');
  const install =
    before === undefined ? null : row({ operation: { Install: inputs }, run: deploys(before), status: 'Done' });
  return {
    deployment: { ...deployment, revision_id: install?.id ?? null },
    ended: install ? [install] : [],
    tasks: tasks.map(row),
  };
}

const installedAt = (name: string) => ({
  state: 'Running',
  installed_cluster_id: clusterId,
  installed_namespace: `web-${name}`,
});
const placeOf = (name: string) => ({
  cluster_id: clusterId,
  namespace: `web-${name}`,
  deployment_name: name,
  kind: 'Web',
});
const inputs = { helm_chart_id: chart.id, config_inputs: { replicas: 1 }, values_override: null };
const deploys = (name: string) => ({
  action: 'deploy',
  ...placeOf(name),
  helm_chart_id: chart.id,
  config: { replicas: 1 },
  values_override: null,
});
const upgrade = { Upgrade: { ...inputs, prev_helm_chart_id: chart.id, config_delta: null } };
const restarted = { kind: 'Deployment', name: 'web', uid: randomUUID() };

const rows = [
  upgraded('new', { state: 'Installing' }, { operation: { Install: inputs }, run: deploys('new') }),
  upgraded(
    'started',
    { ...installedAt('started'), state: 'Upgrading' },
    {
      operation: upgrade,
      run: deploys('started'),
      status: 'Started',
      attempts: 1,
      fence: 1,
      helm_fence: 1,
      leased: true,
    },
    { operation: { Reinstall: { reason: 'a secret has changed' } } },
  ),
  upgraded(
    'moved',
    { ...installedAt('before'), state: 'Renaming' },
    {
      operation: {
        Recreate: {
          old_cluster_id: clusterId,
          old_namespace: 'web-before',
          new_cluster_id: clusterId,
          new_namespace: 'web-moved',
        },
      },
      undo: { name: 'before', cluster_id: clusterId, env_id: envId, namespace: 'web-before' },
    },
    { operation: upgrade, run: deploys('moved') },
  ),
  upgraded('left', { ...installedAt('left'), enabled: false }, { operation: { Uninstall: {} } }),
  upgraded(
    'deleted',
    { ...installedAt('deleted'), deleting: true },
    { operation: { Uninstall: {} }, deletes_deployment: true },
  ),
  upgraded('restarted', installedAt('restarted'), {
    operation: { RestartK8sResource: { resource_id: restarted.uid, resource_name: 'web' } },
    run: { action: 'restart', ...placeOf('restarted'), object: restarted },
  }),
];
const scheduled = upgraded('scheduled', installedAt('scheduled'), {
  operation: { Uninstall: {} },
  change: { enabled: false },
  tomorrow: true,
});

async function fill(db: Database): Promise<void> {
  const all = [...rows, scheduled];
  await db.query(statement`
    insert into deployments (
      id, name, kind_id, env_id, cluster_id, namespace, enabled, state, deleting, helm_chart_id, config,
      installed_cluster_id, installed_namespace, revision_id
    )
    select id, name, kind_id, env_id, cluster_id, namespace, enabled, state, coalesce(deleting, false), helm_chart_id, config,
      installed_cluster_id, installed_namespace, revision_id
    from jsonb_populate_recordset(null::deployments, ${JSON.stringify(all.map(({ deployment }) => deployment))}::jsonb)
  `);
  await db.query(statement`
    insert into deployment_tasks (
      id, created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, operation, status, run, change,
      undo, requester, deletes_deployment, attempts, fence, helm_fence, lease_until, started_at, first_attempted_at, finished_at
    )
    select r.id, now() + n * interval '1 ms', at, at, r.cluster_id, r.env_id, r.deployment_id, r.acting_user_id, r.operation,
      r.status, r.run, r.change, r.undo, r.requester, coalesce(r.deletes_deployment, false), r.attempts, r.fence,
      coalesce(r.helm_fence, 0), lease, coalesce(lease, ended), coalesce(lease, ended), ended
    from jsonb_array_elements(${JSON.stringify(all.flatMap(({ ended, tasks }) => [...ended, ...tasks]))}::jsonb) with ordinality as given (task, n),
      jsonb_populate_record(null::deployment_tasks, task) r,
      lateral (
        select now() + n * interval '1 ms' + case when task ? 'tomorrow' then interval '1 day' else '0' end as at,
          case when task ? 'leased' then now() end as lease, case when r.status = 'Done' then now() end as ended
      ) times
  `);
}

test('each open task of b87571e is open after the upgrade, and is carried out', async () => {
  await using stack = new AsyncDisposableStack();
  const filled = { migrations: await earlierMigrations(stack), fill };
  const tasks = stack.use(await startTasksInTest({}, filled));
  const open = await tasks.database.db.any(
    stored`select id, status from deployment_tasks where status in ('Pending', 'Started')`,
  );
  const ids = [...rows, scheduled].flatMap((row) => row.tasks.map(({ id }) => id));
  expect(open.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());

  await tasks.publish.cluster({ id: clusterId, env_id: envId, name: 'upgraded' });
  await tasks.publish.chart(chart);
  const toRun = rows.flatMap((row) => row.tasks);
  const claimed: string[] = [];
  while (claimed.length < toRun.length) {
    const task = await tasks.claimed();
    claimed.push(task.task_id);
    await tasks.finish(task);
  }

  expect(claimed.toSorted()).toEqual(toRun.map(({ id }) => id).toSorted());
  // Of one deployment in their order.
  for (const row of rows) {
    const inOrder: string[] = row.tasks.map(({ id }) => id);
    expect(claimed.filter((id) => inOrder.includes(id))).toEqual(inOrder);
  }
  const statuses = await tasks.database.db.any(stored`
    select id, status from deployment_tasks where id = any(${sql.array(ids, 'uuid')})
  `);
  const waiting = scheduled.tasks.map(({ id }) => id);
  expect(new Map(statuses.map(({ id, status }) => [id, status]))).toEqual(
    new Map(ids.map((id) => [id, waiting.includes(id) ? 'Pending' : 'Done'])),
  );
});
