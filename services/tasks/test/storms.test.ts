import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '@berth/shared/errors';
import { deploymentTasks } from '@berth/shared/contracts/resources/deployment-tasks';
import { sampleIdentities } from '@berth/shared/testing/test-identities';
import { z } from 'zod';
import { chartId, envId, kindId } from './support/sample-rows.ts';
import { startTasksInTest, type TasksInTest, until } from './support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest({ TASKS_PER_CLUSTER: '1000', TASKS_IN_ALL: '1000' });
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const nothing = sql.type(z.object({}));
const withId = sql.type(z.object({ id: z.string() }));
const { siteAdmin } = sampleIdentities;

/** At most so many at a time, as clients behind a gateway. */
async function inParallel<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}

test('while connections to the database are cut fifty times, what was accepted is there, and each task has one claim', async () => {
  const { db } = tasks.database;
  const accepted: string[] = [];
  const claims: { task_id: string; fence: number }[] = [];
  const over = new AbortController();
  const refusals: unknown[] = [];
  const unlessCut = (work: Promise<unknown>) => work.catch((error: unknown) => void refusals.push(error));
  const whileCut = async (work: () => Promise<unknown>) => {
    while (!over.signal.aborted) await unlessCut(work());
  };

  const working = [
    whileCut(async () => accepted.push((await tasks.create()).id)),
    whileCut(async () => {
      const claimed = await tasks.claim();
      if (claimed) claims.push(claimed);
    }),
  ];
  for (let cut = 0; cut < 50; cut += 1) {
    await db.query(nothing`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tasks'
    `);
    const before = accepted.length + refusals.length;
    await until(async () => accepted.length + refusals.length > before);
  }
  over.abort();
  await Promise.all(working);

  expect((await tasks.create()).status).toBe('Unknown');
  expect(refusals.every((error) => error instanceof AppError && error.status >= 500)).toBe(true);
  const { rows } = await db.query(withId`select id from deployments`);
  expect(accepted.filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
  expect(new Set(claims.map(({ task_id }) => task_id)).size).toBe(claims.length);
  await db.query(nothing`truncate deployments, deployment_tasks, deployment_task_log`);
});

test('of 10,000 tasks that become due at the same moment each is claimed in its turn, and a thousand cancellations are all obeyed', async () => {
  const { db } = tasks.database;
  await db.query(nothing`
    insert into deployments (name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config)
    select 'due' || i, ${kindId}, ${envId}, ${tasks.clusterId}, 'web-due' || i, ${chartId}, '{}'
    from generate_series(1, 10000) i
  `);
  const hinted = new Promise<void>((resolve) => {
    tasks.runner.hints.listen('tasks_due', () => resolve(), { signal: AbortSignal.timeout(60_000) });
  });
  const { rows } = await db.query(withId`
    insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation)
    select now(), due, due, cluster_id, env_id, id, '{"Uninstall": {}}'
    from deployments, (select date_trunc('milliseconds', now() + interval '4 seconds') as due) at
    returning id
  `);
  const ids = rows.map(({ id }) => id);

  await hinted;
  const first = await until(tasks.claim);
  const started = [first.task_id];
  const canceled: string[] = [];
  const asked: string[] = [];
  await Promise.all([
    inParallel(Array.from({ length: 100 }), 4, async () => void started.push((await tasks.claimed()).task_id)),
    inParallel(ids.slice(0, 1_000), 16, async (id) => {
      const { status } = await tasks.call(siteAdmin, deploymentTasks.operations.cancel, { id }, { deadlineMs: 20_000 });
      (status === 'Started' ? asked : canceled).push(id);
    }),
  ]);

  expect(canceled.length + asked.length).toBe(1_000);
  expect(canceled.filter((id) => started.includes(id))).toEqual([]);
  expect(asked.filter((id) => !started.includes(id))).toEqual([]);
  const count = sql.type(z.object({ status: z.string(), n: z.number().int() }))`
    select status, count(*)::integer as n from deployment_tasks group by status order by status
  `;
  expect((await db.query(count)).rows).toEqual([
    { status: 'Canceled', n: canceled.length },
    { status: 'Pending', n: 10_000 - 101 - canceled.length },
    { status: 'Started', n: 101 },
  ]);
});
