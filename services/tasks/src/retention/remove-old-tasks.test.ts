import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { emptyAll, insertCluster, insertDeployment, insertTask } from '../../test/support/sample-rows.ts';
import type { Retention } from '../records/retention.ts';
import { inTransactionOf, readingStore } from '../store/store.ts';
import { portionsOf, removeOldTasks } from './remove-old-tasks.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const log = { info: () => {} } as unknown as Parameters<typeof removeOldTasks>[0]['log'];

let database: OpenTestDatabase;
let cluster: string;
let deployment: string;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  await emptyAll(database.db);
  cluster = await insertCluster(database.db);
  deployment = await insertDeployment(database.db, cluster);
});

interface Ended {
  /** Days since the task ended. */
  ago: number;
  status?: 'Done' | 'Failed' | 'Canceled';
  operation?: object;
  of?: string;
  lines?: number;
}

async function ended({ ago, status = 'Done', operation, of = deployment, lines = 0 }: Ended): Promise<string> {
  const id = await insertTask(database.db, {
    deployment_id: of,
    cluster_id: cluster,
    status,
    execute_in: -86_400 * ago,
    operation,
  });
  await database.db.query(statement`
    update deployment_tasks set finished_at = execute_at, log_lines = ${lines} where id = ${id}
  `);
  return id;
}
const reinstall = { Reinstall: { reason: 'x' } };

async function run(retention: Partial<Retention> = {}): Promise<number> {
  let removed = 0;
  const deps = { store: readingStore(database.db), inTransaction: inTransactionOf(database.db), log };
  await removeOldTasks(
    {
      ...deps,
      retention: { days: 30, perDeployment: 100, runs: 2, ...retention },
      countRemoved: (tasks) => {
        removed += tasks;
      },
    },
    new AbortController().signal,
  );
  return removed;
}
const left = async () =>
  new Set(
    await database.db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from deployment_tasks order by id`),
  );

test('a run pauses for as long as it has used the database', async () => {
  const page = () =>
    Array.from({ length: 100 }, () => ({ id: randomUUID(), finished_at: 'long ago', is_needed: false, log_lines: 0 }));
  const pages = [page(), page(), page(), page(), page()];
  const { retention } = readingStore(database.db);
  let used = 0;
  const startedAt = performance.now();

  await removeOldTasks(
    {
      store: { retention: { ...retention, outdated: async () => pages.shift() ?? [], crowded: async () => [] } },
      inTransaction: async (work) => {
        const began = performance.now();
        await sleep(60);
        const removed = await inTransactionOf(database.db)(work);
        used += performance.now() - began;
        return removed;
      },
      retention: { days: 30, perDeployment: 100, runs: 2 },
      log,
      countRemoved: () => undefined,
    },
    new AbortController().signal,
  );

  expect(pages).toEqual([]);
  // Timers are early by a millisecond at most.
  expect(performance.now() - startedAt).toBeGreaterThan(1.9 * used);
});

describe('a task', () => {
  test('that ended more days ago than configured is removed; a younger one is not', async () => {
    const last = await ended({ ago: 0.1 });
    const young = await ended({ ago: 29, status: 'Failed' });
    await ended({ ago: 31, status: 'Failed' });
    await ended({ ago: 400, status: 'Canceled' });

    expect(await run()).toBe(2);
    expect(await left()).toEqual(new Set([last, young]));
  });

  test('that has not ended is not removed, regardless of its age', async () => {
    const pending = await insertTask(database.db, { deployment_id: deployment, cluster_id: cluster, execute_in: -9e7 });
    const of = await insertDeployment(database.db, cluster);
    const started = await insertTask(database.db, {
      deployment_id: of,
      cluster_id: cluster,
      execute_in: -9e7,
      status: 'Started',
    });

    expect(await run()).toBe(0);
    expect(await left()).toEqual(new Set([pending, started]));
  });

  test('that is the last Done one of its deployment stays, even if others failed since', async () => {
    const last = await ended({ ago: 100, operation: { Uninstall: {} } });
    await ended({ ago: 90, status: 'Failed' });
    await ended({ ago: 110, operation: reinstall });

    expect(await run()).toBe(2);
    expect(await left()).toEqual(new Set([last]));
  });

  test('to which its deployment can be rolled back stays: the last installs and upgrades', async () => {
    await ended({ ago: 100 });
    const second = await ended({ ago: 90 });
    const third = await ended({ ago: 80 });
    await ended({ ago: 75, operation: reinstall });
    await ended({ ago: 71, status: 'Failed' });
    const last = await ended({ ago: 70, operation: reinstall });

    expect(await run()).toBe(3);
    expect(await left()).toEqual(new Set([second, third, last]));
    expect(await run({ runs: 1 })).toBe(1);
    expect(await left()).toEqual(new Set([third, last]));
  });

  test('that made the revision of its deployment stays', async () => {
    const revision = await ended({ ago: 100 });
    const later = [await ended({ ago: 90 }), await ended({ ago: 80 })];
    await database.db.query(statement`update deployments set revision_id = ${revision}`);

    expect(await run()).toBe(0);
    expect(await left()).toEqual(new Set([revision, ...later]));
  });

  test('of a deleted deployment is removed when its retention ends', async () => {
    const of = await insertDeployment(database.db, cluster);
    await ended({ ago: 31, of });
    const young = await ended({ ago: 29, of });
    await database.db.query(statement`delete from deployments where id = ${of}`);

    expect(await run()).toBe(1);
    expect(await left()).toEqual(new Set([young]));
  });

  test('beyond the number kept per deployment is removed early, unless it is needed or ended today', async () => {
    const of = await insertDeployment(database.db, cluster);
    const others = [await ended({ ago: 9, of, status: 'Failed' }), await ended({ ago: 8, of, status: 'Failed' })];
    const done = await ended({ ago: 10 });
    for (const ago of [9, 8, 7]) await ended({ ago, status: 'Failed' });
    const kept = [await ended({ ago: 0.5, status: 'Failed' }), await ended({ ago: 0.4, status: 'Failed' })];
    const today = await ended({ ago: 0.6, status: 'Failed' });

    expect(await run({ perDeployment: 2 })).toBe(3);
    expect(await left()).toEqual(new Set([...others, done, ...kept, today]));
  });

  test('that is locked is left to the next run instead of being waited for', async () => {
    const locked = await ended({ ago: 31, status: 'Failed' });
    const isHeld = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const holding = database.db.transaction(async (tx) => {
      await tx.query(statement`select from deployment_tasks where id = ${locked} for update`);
      isHeld.resolve();
      await isOver.promise;
    });
    await isHeld.promise;
    expect(await run()).toBe(0);
    isOver.resolve();
    await holding;

    expect(await run()).toBe(1);
  });

  test('is removed with its log, and its deletion is published to followers', async () => {
    const id = await ended({ ago: 31, status: 'Failed' });
    await database.db.query(statement`
      insert into deployment_task_log (task_id, line, at, source, text) values (${id}, 0, now(), 'berth', 'a line')
    `);

    await run();

    const lines = await database.db.any(statement`select from deployment_task_log`);
    expect(lines).toHaveLength(0);
    const recorded = sql.type(z.object({ operation: z.string(), id: z.string() }))`select operation, id from outbox`;
    expect(await database.db.any(recorded)).toEqual([{ operation: 'DELETE', id }]);
  });
});

test('a run examines more tasks than fit into one statement, even if most of them stay', async () => {
  await database.db.query(statement`
    insert into deployment_tasks (created_at, execute_at, due_at, finished_at, cluster_id, env_id, deployment_id, operation, status)
    select now(), now(), now(), date_trunc('second', now()) - interval '100 days' + (i % 7) * interval '1 second',
      ${cluster}, gen_random_uuid(), ${deployment}, '{"Uninstall": {}}', case when i % 500 = 0 then 'Failed' else 'Canceled' end
    from generate_series(1, 1500) i
  `);
  const last = await ended({ ago: 90 });

  expect(await run({ perDeployment: 10_000 })).toBe(1_500);
  expect(await left()).toEqual(new Set([last]));
});

test('tasks are removed in portions, by the length of their logs', () => {
  const tasks = [10_000, 10_000, 1, 25_000, 5].map((log_lines, index) => ({ id: `${index}`, log_lines }));

  expect(portionsOf(tasks)).toEqual([['0', '1'], ['2'], ['3'], ['4']]);
  expect(portionsOf([])).toEqual([]);
});
