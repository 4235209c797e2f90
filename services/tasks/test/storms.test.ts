import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '@berth/devstack';
import { serverStart } from '@berth/devstack/testing/with-servers';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { kindId, startTasksInTest, type TasksInTest, until } from './support/tasks-in-test.ts';

let server: PostgresServer;
let start: Awaited<ReturnType<typeof serverStart>>;
let tasks: TasksInTest;
beforeAll(async () => {
  start = await serverStart();
  server = await startPostgres({ ...start, durable: false });
  const settings = { TASKS_PER_CLUSTER: '120', TASKS_IN_ALL: '120', TASK_LEASE_SECONDS: '300' };
  tasks = await startTasksInTest(settings, { server: server.adminUrl });
});
afterAll(async () => {
  await tasks?.[Symbol.asyncDispose]();
  await start?.[Symbol.asyncDispose]();
});

const { owner } = sampleIdentities;
const withId = sql.type(z.object({ id: z.string() }));
const recoveredWithinMs = 30_000;

const cutConnections = () =>
  answered(() =>
    tasks.database.db.query(statement`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
    `),
  );
const startServer = async () => {
  server = await startPostgres({ ...start, signal: AbortSignal.timeout(90_000), durable: false });
};

afterEach(() => answered(() => tasks.database.db.query(statement`truncate deployment_tasks, deployments cascade`)));

/** On a busy machine, or just after an outage, the first attempt may come too late. */
const answered = <T>(work: () => Promise<T>): Promise<T> =>
  until(
    () =>
      work().then(
        (answer) => ({ answer }),
        (error: unknown) => {
          if (error instanceof AppError && error.status >= 500) return null;
          throw error;
        },
      ),
    recoveredWithinMs,
  ).then(({ answer }) => answer);

/** Clients that use a failing service until `over` aborts. */
function clientsUntil(over: AbortSignal) {
  const refusals = new Map<string, number>();
  const refused = async (error: unknown) => {
    const what = error instanceof AppError ? error.code : String(error);
    refusals.set(what, (refusals.get(what) ?? 0) + 1);
    await sleep(5);
    return null;
  };
  return {
    /** How often each answer other than success was received. */
    refusals,
    repeat: async (work: () => Promise<unknown>) => {
      while (!over.aborted) await work().catch(refused);
    },
    /** Null if the test ends before the work is accepted. */
    untilAccepted: async <T>(work: () => Promise<T>): Promise<T | null> => {
      while (!over.aborted) {
        const answer = await work().catch(refused);
        if (answer !== null) return answer;
      }
      return null;
    },
  };
}

describe('a failing database', () => {
  /** Slows down commits, so that failures often occur during one. */
  beforeEach(async () => {
    const { db } = tasks.database;
    await db.query(statement`
      create or replace function slow_commit() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.05); return null; end $$
    `);
    await db.query(statement`
      create constraint trigger slow_commit after insert on deployments deferrable initially deferred
        for each row execute function slow_commit()
    `);
  });
  afterEach(async () => {
    const { db } = tasks.database;
    await answered(() => db.query(statement`drop function if exists slow_commit cascade`));
  });

  test.for<[string, number, () => Promise<unknown>]>([
    ['connections to the database are cut fifty times', 50, cutConnections],
    ['the database is killed five times', 5, async () => server.kill().then(startServer)],
    ['the database is restarted three times', 3, async () => server.stop().then(startServer)],
  ])(
    'loses neither accepted requests nor claims and recovers each time while %s',
    { timeout: 240_000 },
    async ([, times, fail]) => {
      const { db } = tasks.database;
      const over = new AbortController();
      const { refusals, repeat, untilAccepted } = clientsUntil(over.signal);
      const accepted: string[] = [];
      const held: ClaimedTask[] = [];
      const beats = new Map<string, number>();

      const creating = () =>
        repeat(async () => {
          const [name, idempotencyKey] = [`d${randomUUID().slice(0, 8)}`, randomUUID()];
          const body = {
            name,
            kind_id: kindId,
            cluster_id: tasks.clusterId,
            helm_chart_id: tasks.chartId,
            config: { replicas: 1 },
            values_override: null,
          };
          const create = () =>
            tasks.call(owner, deployments.operations.create, { body }, { idempotencyKey, deadlineMs: 2_000 });
          const made = await untilAccepted(create);
          if (made) accepted.push(made.name);
        });
      const working = [
        ...Array.from({ length: 3 }, creating),
        repeat(async () => {
          const claimed = held.length < 10 ? await tasks.claim() : null;
          if (claimed) held.push(claimed);
          else await sleep(20);
        }),
        repeat(async () => {
          for (const claim of held) {
            const { cancel_requested } = await tasks.heartbeat(claim);
            expect(cancel_requested).toBe(false);
            beats.set(claim.task_id, (beats.get(claim.task_id) ?? 0) + 1);
          }
          await sleep(20);
        }),
      ];
      const workedOn = async () => {
        const [creations, heartbeats] = [accepted.length, total(beats)];
        await until(async () => accepted.length > creations && total(beats) > heartbeats, recoveredWithinMs);
      };
      await workedOn();
      const recovered: number[] = [];
      for (let time = 0; time < times; time += 1) {
        await fail();
        const backAt = performance.now();
        await workedOn();
        recovered.push(performance.now() - backAt);
      }
      over.abort();
      await Promise.all(working);

      expect([...refusals.keys()].filter((code) => code !== 'unavailable' && code !== 'timeout')).toEqual([]);
      expect(total(refusals)).toBeGreaterThan(0);
      // Usually at most five seconds; a busy machine takes longer, and a stall may hit a few answers.
      expect(recovered.toSorted((a, b) => a - b)[Math.floor(times / 2)]).toBeLessThan(15_000);
      const made = await answered(() =>
        db.anyFirst(sql.type(z.object({ name: z.string() }))`
        select d.name from deployments d join deployment_tasks t on t.deployment_id = d.id
      `),
      );
      expect(accepted.filter((name) => !made.includes(name))).toEqual([]);
      expect(new Set(held.map(({ task_id }) => task_id)).size).toBe(held.length);
      for (const claim of held) {
        await answered(() => tasks.finish(claim));
        expect((await answered(() => tasks.task(claim.task_id))).status).toBe('Done');
      }
      // Connections of the service and of this test; none may be left.
      const connections = () =>
        answered(() => db.any(statement`select from pg_stat_activity where datname = current_database()`));
      await expect.poll(async () => (await connections()).length).toBeLessThanOrEqual(10 + 3);
    },
  );
});

const total = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** At most this many at a time, like clients behind a gateway. */
async function inParallel<T>(items: readonly T[], most: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}

/** Inserts deployments with an Uninstall each, which becomes due after the interval; returns the ids of the tasks. */
async function insertTasks(name: string, count: number, dueIn: string): Promise<string[]> {
  const { db } = tasks.database;
  await db.query(statement`
    insert into deployments (
      name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, installed_cluster_id, installed_namespace,
      polls_followed
    )
    select ${name} || i, ${kindId}, env_id, id, 'web-' || ${name} || i, ${tasks.chartId}, '{"replicas": 1}', id,
      'web-' || ${name} || i, true
    from generate_series(1, ${count}::integer) i, k8s_cluster_projection where id = ${tasks.clusterId}
  `);
  const { rows } = await db.query(withId`
    insert into deployment_tasks (created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation, run)
    select now(), due, due, cluster_id, env_id, id, '{"Uninstall": {}}', jsonb_build_object(
      'action', 'uninstall', 'cluster_id', cluster_id, 'namespace', namespace, 'deployment_name', name, 'kind', 'Web')
    from deployments, (select date_trunc('milliseconds', now() + ${dueIn}::interval) as due) at
    where name like ${name} || '%'
    returning id
  `);
  return rows.map(({ id }) => id);
}

test('five hundred concurrent cancellations take turns, and none is refused', async () => {
  const ids = await insertTasks('crowd', 500, '1 hour');
  const { cancel } = deploymentTasks.operations;
  // By now the service has read the keys of identities; otherwise many first requests would wait for them.
  await until(async () => (await tasks.task(ids[0] ?? '')).status === 'Pending');

  const answers = await Promise.allSettled(ids.map((id) => tasks.call(owner, cancel, { id }, { deadlineMs: 60_000 })));

  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason)] : []));
  expect(refusals).toEqual([]);
  const canceled = sql.type(z.object({ n: z.number().int() }))`
    select count(*)::integer as n from deployment_tasks where status = 'Canceled' and id = any(${sql.array(ids, 'uuid')})
  `;
  expect(await tasks.database.db.oneFirst(canceled)).toBe(ids.length);
});

test('ten thousand tasks that become due at once are claimed in order, and a thousand cancellations take effect', {
  timeout: 240_000,
}, async () => {
  const { db } = tasks.database;
  let hints = 0;
  tasks.runner.hints.listen('tasks_due', () => void (hints += 1), { signal: AbortSignal.timeout(240_000) });
  await tasks.runner.listening();
  const ids = await insertTasks('due', 10_000, '5 seconds');

  await until(async () => hints > 0);
  const started: string[] = [];
  const { untilAccepted, refusals } = clientsUntil(AbortSignal.timeout(220_000));
  const [canceled, stopping]: [string[], string[]] = [[], []];
  const fifty = Array.from({ length: 50 }, (_, index) => index);
  const claimNext = async () => started.push((await tasks.claimed()).task_id);
  const cancel = (id: string) =>
    tasks.call(owner, deploymentTasks.operations.cancel, { id }).catch((error: unknown) => {
      // An earlier attempt succeeded, but its answer came too late.
      if (error instanceof AppError && error.code === 'conflict') return tasks.task(id);
      throw error;
    });
  await inParallel(fifty, 4, claimNext);
  const first = await db.anyFirst(withId`select id from deployment_tasks order by due_at, seq limit 50`);
  expect(started.toSorted()).toEqual(first.toSorted());
  await Promise.all([
    inParallel(fifty, 4, claimNext),
    inParallel(ids.slice(0, 1_000), 8, async (id) => {
      const task = await untilAccepted(() => cancel(id));
      (task?.status === 'Started' ? stopping : canceled).push(id);
    }),
  ]);

  expect([...refusals.keys()].filter((code) => code !== 'unavailable' && code !== 'timeout')).toEqual([]);
  expect(new Set(started).size).toBe(100);
  expect(canceled.length + stopping.length).toBe(1_000);
  expect(canceled.filter((id) => started.includes(id))).toEqual([]);
  expect(stopping.filter((id) => !started.includes(id))).toEqual([]);
  const count = sql.type(z.object({ status: z.string(), n: z.number().int() }))`
    select status, count(*)::integer as n from deployment_tasks group by status order by status
  `;
  expect((await db.query(count)).rows).toEqual([
    { status: 'Canceled', n: canceled.length },
    { status: 'Pending', n: 10_000 - 100 - canceled.length },
    { status: 'Started', n: 100 },
  ]);
});
