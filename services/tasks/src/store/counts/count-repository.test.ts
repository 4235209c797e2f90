import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  emptyAll,
  envId,
  insertCluster,
  insertDeployment,
  insertTask,
  type TaskRow,
} from '../../../test/support/sample-rows.ts';
import { readingStore, type ReadingStore } from '../store.ts';

const migrations = new URL('../../../migrations/', import.meta.url);
const otherEnv = randomUUID();

let database: OpenTestDatabase;
let store: ReadingStore;
let cluster: string;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  store = readingStore(database.db);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await emptyAll(database.db);
  cluster = await insertCluster(database.db);
});

const deploymentWith = async (...tasks: Partial<TaskRow>[]) => {
  const deployment_id = await insertDeployment(database.db, cluster);
  for (const task of tasks) await insertTask(database.db, { deployment_id, cluster_id: cluster, ...task });
  return deployment_id;
};
const done = { status: 'Done' } as const;

type Query = Parameters<ReadingStore['tasks']['list']>[0];
type Visible = Parameters<ReadingStore['tasks']['list']>[1];
const total = async (query: Query = {}, visible: Visible = 'all') =>
  (await store.tasks.list({ per_page: 1, ...query }, visible)).num_total;

const Task = z.object({
  env_id: z.string(),
  cluster_id: z.string(),
  status: z.string(),
  has_deployment: z.boolean(),
  is_future: z.boolean(),
});
type Task = z.infer<typeof Task>;
const tasks = () =>
  database.db.any(sql.type(Task)`
    select env_id, cluster_id, status, exists (select from deployments d where d.id = t.deployment_id) as has_deployment,
      execute_at > now() as is_future
    from deployment_tasks t
  `);

const isOpen = ({ status }: Task) => status === 'Pending' || status === 'Started';
const filters = (): { query: Query; fits: (task: Task) => boolean }[] => [
  { query: {}, fits: () => true },
  { query: { active_only: true }, fits: isOpen },
  { query: { show_future: false }, fits: ({ is_future }) => !is_future },
  {
    query: { show_future: false, status: 'Pending' },
    fits: ({ is_future, status }) => !is_future && status === 'Pending',
  },
  { query: { status: 'Done' }, fits: ({ status }) => status === 'Done' },
  { query: { env_id: otherEnv }, fits: ({ env_id }) => env_id === otherEnv },
  { query: { cluster_id: cluster }, fits: ({ cluster_id }) => cluster_id === cluster },
];
const viewers: Visible[] = ['all', [envId], [envId, otherEnv]];
const isSeen = ({ env_id, has_deployment }: Task, visible: Visible) =>
  visible === 'all' || (visible.includes(env_id) && has_deployment);

/** The totals of lists for every filter and viewer, beside sums over the tasks themselves. */
async function totals(): Promise<{ listed: number[]; counted: number[] }> {
  const all = await tasks();
  const listed: number[] = [];
  const counted: number[] = [];
  for (const { query, fits } of filters()) {
    for (const visible of viewers) {
      listed.push(await total(query, visible));
      counted.push(all.filter((task) => fits(task) && isSeen(task, visible)).length);
    }
  }
  return { listed, counted };
}

describe('the number of tasks', () => {
  test('is right for every filter and viewer after tasks, or their deployments, were added, changed, moved and removed', async () => {
    const states = [];
    const gone = await deploymentWith(done, done, {});
    const moved = await deploymentWith(done, { status: 'Failed' }, { execute_in: 3_600 });
    const left = await deploymentWith(done, { status: 'Started' }, {});
    const other = await insertCluster(database.db);
    states.push(await totals());
    await database.db.query(statement`
      update deployment_tasks set status = 'Canceled' where deployment_id = ${gone} and status = 'Pending'
    `);
    await database.db.query(statement`update deployment_tasks set env_id = ${otherEnv} where deployment_id = ${moved}`);
    await database.db.query(
      statement`update deployment_tasks set cluster_id = ${other} where deployment_id = ${moved}`,
    );
    states.push(await totals());
    await database.db.query(statement`delete from deployments where id = ${gone}`);
    states.push(await totals());
    await database.db.query(statement`delete from deployment_tasks where deployment_id = ${left} and status = 'Done'`);
    states.push(await totals());
    await store.counts.addUp(1_000);
    states.push(await totals());

    for (const { listed, counted } of states) expect(listed).toEqual(counted);
    expect(new Set(states.map(({ listed }) => listed.join())).size).toBe(4);
    await database.db.query(statement`truncate deployment_tasks, deployment_task_log cascade`);
    expect([await total(), await total({}, [envId, otherEnv])]).toEqual([0, 0]);
  });
});

const Count = z.object({ n: z.number().int() });
const rows = async () => await database.db.oneFirst(sql.type(Count)`select count(*) as n from deployment_task_counts`);
const rowsOfEnvs = async () => await database.db.oneFirst(sql.type(Count)`select count(*) as n from env_task_counts`);

describe('the stored number of tasks', () => {
  test('takes one row for all tasks of a deployment with the same counted columns, until the last of them is removed', async () => {
    const id = await deploymentWith(done, done, done, { status: 'Failed' });
    const other = await deploymentWith(done, done);
    await database.db.query(statement`delete from deployment_tasks where deployment_id = ${other}`);
    expect(await rows()).toBe(7);

    await store.counts.addUp(1_000);

    expect(await rows()).toBe(2);
    expect(await total({ deployment_id: id })).toBe(4);
    expect(await store.counts.addUp(1_000)).toBe(0);
  });

  test('takes one row for all tasks of an env with the same counted columns, which site admins read instead of the rows of deployments', async () => {
    const id = await deploymentWith(done, done, { status: 'Failed' });
    await deploymentWith(done);

    await store.counts.addUp(1_000);

    expect(await rowsOfEnvs()).toBe(2);
    // Present only in the rows of envs.
    await database.db.query(statement`insert into env_task_counts values (${envId}, ${cluster}, 'Done', 100)`);
    expect(await total()).toBe(104);
    expect(await total({ env_id: envId, cluster_id: cluster, status: 'Done' })).toBe(103);
    expect(await total({ deployment_id: id })).toBe(3);
    expect(await total({}, [envId])).toBe(4);
  });

  test('stays right while concurrent runs merge rows and tasks are added', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => deploymentWith(done, done, done)));

    await Promise.all([
      ...Array.from({ length: 4 }, () => store.counts.addUp(2)),
      ...ids.map((deployment_id) => insertTask(database.db, { deployment_id, cluster_id: cluster, ...done })),
    ]);

    expect(await total()).toBe(16);
    for (let left = 1; left > 0; ) left = await store.counts.addUp(3);
    expect(await rows()).toBe(4);
    expect(await total()).toBe(16);
  });

  test('is unchanged by updates of columns that it is not grouped by, such as a heartbeat', async () => {
    const id = await deploymentWith({ status: 'Started' });

    await database.db.query(statement`
      update deployment_tasks set status = 'Started', lease_until = now(), reason = 'waits' where deployment_id = ${id}
    `);

    expect([await rows(), await rowsOfEnvs()]).toEqual([1, 1]);
  });
});

describe('the number of deployments', () => {
  type Filters = Parameters<ReadingStore['deployments']['list']>[0];
  const number = async (visible: Visible = 'all', query: Filters = {}) =>
    (await store.deployments.list({ per_page: 1, ...query }, visible)).num_total;
  const numbers = async () => [
    await number(),
    await number([envId]),
    await number([envId, otherEnv]),
    await number('all', { env_id: otherEnv }),
    await number([envId], { env_id: otherEnv }),
    await number('all', { enabled: true }),
  ];
  const kept = async () =>
    await database.db.oneFirst(
      sql.type(z.object({ n: z.number().int() }))`select count(*) as n from deployment_counts`,
    );
  const insertMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => insertDeployment(database.db, cluster)));

  test('is right for every viewer after deployments are added, disabled, moved and removed', async () => {
    const [first = '', second = '', third = ''] = await insertMany(5);
    expect(await numbers()).toEqual([5, 5, 5, 0, 0, 5]);

    await database.db.query(statement`update deployments set enabled = false where id = ${first}`);
    await database.db.query(statement`update deployments set env_id = ${otherEnv} where id in (${second}, ${third})`);
    expect(await numbers()).toEqual([5, 3, 5, 2, 0, 4]);

    await database.db.query(statement`delete from deployments where id in (${first}, ${second})`);
    expect(await numbers()).toEqual([3, 2, 3, 1, 0, 3]);

    await store.counts.addUp(1_000);
    expect(await numbers()).toEqual([3, 2, 3, 1, 0, 3]);
    expect(await kept()).toBe(2);

    await database.db.query(statement`truncate deployments cascade`);
    expect(await numbers()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('is read from the stored rows if only the env is filtered, and counted otherwise', async () => {
    await insertMany(3);
    // Present only in the stored number.
    await database.db.query(statement`insert into deployment_counts values (${envId}, 100)`);

    expect(await numbers()).toEqual([103, 103, 103, 0, 0, 3]);
  });

  test('is unchanged by updates that leave a deployment in its env', async () => {
    await insertMany(2);

    await database.db.query(statement`update deployments set env_id = env_id, state = 'Running'`);

    expect(await kept()).toBe(2);
  });
});
