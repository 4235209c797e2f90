import { AppError } from '@berth/contracts/errors';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  emptyAll,
  insertCluster,
  insertDeployment,
  insertQueue,
  insertTask,
} from '../../../test/support/sample-rows.ts';
import { type InTransaction, inTransactionOf } from '../store.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { Limits } from '../../records/limits.ts';

const limits: Limits = { perCluster: 1_000, inAll: 1_000, waitingPerCluster: 1_000 };

const migrations = new URL('../../../migrations/', import.meta.url);

let database: OpenTestDatabase;
let inTransaction: InTransaction;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  inTransaction = inTransactionOf(database.db);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => emptyAll(database.db));

/** Retries like a runner: fifty claims over ten connections may time out on a busy machine. */
const persistently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    }
  }
};

const claim = (runner: string, given: Limits = limits, continuesWaits = true) =>
  persistently(() =>
    inTransaction(async ({ claims }) => {
      await claims.waitForTurn();
      return claims.take({ runner, leaseMs: 30_000, limits: given, continuesWaits });
    }),
  );

const finish = (task: { id: string; fence: number }) =>
  persistently(() =>
    inTransaction(({ taskChanges }) => taskChanges.end(task, { status: 'Done', reason: null, acknowledges: true })),
  );

describe('claims', () => {
  test('fifty workers take each task once, one at a time per deployment, in the order of the queue', async () => {
    const cluster_id = await insertCluster(database.db);
    const queues = new Map<string, string[]>();
    for (let n = 0; n < 20; n += 1) queues.set(await insertDeployment(database.db, cluster_id), []);
    for (let n = 0; n < 5; n += 1) {
      for (const [deployment_id, queue] of queues) {
        queue.push(await insertTask(database.db, { deployment_id, cluster_id, execute_in: n - 10 }));
      }
    }
    const taken = new Map<string, string[]>([...queues.keys()].map((id) => [id, []]));
    const running = new Set<string>();
    let left = 100;

    const work = async (runner: string) => {
      while (left > 0) {
        const task = await claim(runner);
        if (!task) continue;
        left -= 1;
        expect(running.has(task.deployment_id)).toBe(false);
        running.add(task.deployment_id);
        taken.get(task.deployment_id)?.push(task.id);
        running.delete(task.deployment_id);
        await finish(task);
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, n) => work(`runner ${n}`)));

    expect(Object.fromEntries(taken)).toEqual(Object.fromEntries(queues));
  });

  test.for<[string, Limits]>([
    ['of a cluster', { ...limits, perCluster: 3, inAll: 100 }],
    ['of all', { ...limits, perCluster: 100, inAll: 3 }],
  ])('concurrent workers respect the limit %s', async ([, given]) => {
    const cluster_id = await insertCluster(database.db);
    for (let n = 0; n < 20; n += 1) {
      await insertTask(database.db, { cluster_id, deployment_id: await insertDeployment(database.db, cluster_id) });
    }

    const claimed = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`runner ${n}`, given)));

    expect(claimed.filter((task) => task !== null)).toHaveLength(3);
  });

  test.for<[string, Limits]>([
    ['of a cluster', { ...limits, perCluster: 1, inAll: 100 }],
    ['of all', { ...limits, perCluster: 100, inAll: 1 }],
  ])(
    'a task that only awaits readiness does not count towards the limit %s, and works again at its next claim',
    async ([, given]) => {
      const cluster_id = await insertCluster(database.db);
      for (let n = 0; n < 2; n += 1) {
        await insertTask(database.db, { cluster_id, deployment_id: await insertDeployment(database.db, cluster_id) });
      }
      const first = await claim('one', given);
      if (!first) throw new Error('no task');
      expect(await claim('two', given)).toBeNull();

      await inTransaction(({ leases }) => leases.leaveSlot(first));

      const second = await claim('two', given);
      if (!second) throw new Error('no task');
      await finish(second);
      const waits = await inTransaction(({ leases }) => leases.renew(first.id, first.fence, 30_000));
      expect(waits).toMatchObject({ awaits_readiness: true });
      await inTransaction(({ taskChanges }) =>
        taskChanges.putBack(first, { ...first, reason: null, pauseMs: 0, acknowledges: false }),
      );
      expect(await claim('three', given)).toMatchObject({ id: first.id, awaits_readiness: false });
      expect(await claim('four', given)).toBeNull();
    },
  );

  test('a task whose release may not be ready is left for two minutes to runners that wait for it, then anyone takes it', async () => {
    const cluster_id = await insertCluster(database.db);
    const deployment_id = await insertDeployment(database.db, cluster_id);
    const putBack = (task: TaskRecord) =>
      inTransaction(({ taskChanges }) =>
        taskChanges.putBack(task, { ...task, reason: null, pauseMs: 0, acknowledges: false }),
      );
    const byOld = () => claim('old', limits, false);
    const taken = (task: TaskRecord | null): TaskRecord => {
      if (!task) throw new Error('no task');
      return task;
    };
    await insertTask(database.db, { deployment_id, cluster_id });

    const before = taken(await byOld());
    await putBack(before);
    const early = taken(await claim('new'));
    await putBack(early);
    // Its Helm has not begun.
    const begun = taken(await byOld());
    await inTransaction(({ leases }) => leases.helmBegins({ task_id: begun.id, fence: begun.fence }, 30_000));
    await putBack(begun);

    expect(await byOld()).toBeNull();
    const next = taken(await claim('new'));
    await putBack(next);
    await database.db.query(statement`
      update deployment_tasks set due_at = due_at - interval '3 minutes' where id = ${next.id}
    `);
    expect(await byOld()).toMatchObject({ id: next.id });
  });

  test('each claim has a higher fence, and only the latest claim may write', async () => {
    const cluster_id = await insertCluster(database.db);
    const deployment_id = await insertDeployment(database.db, cluster_id);
    await insertTask(database.db, { deployment_id, cluster_id });
    const first = await claim('one');
    if (!first) throw new Error('no task');
    await inTransaction(({ taskChanges }) =>
      taskChanges.putBack(first, { ...first, reason: null, pauseMs: 0, acknowledges: false }),
    );

    const second = await claim('two');

    expect(second).toMatchObject({ id: first.id, attempts: 0 });
    expect(second?.fence).toBeGreaterThan(first.fence);
    expect(await finish(first)).toBeNull();
    expect(await inTransaction(({ leases }) => leases.renew(first.id, first.fence, 30_000))).toBeNull();
    expect(await inTransaction(({ logChanges }) => logChanges.lock(first.id, first.fence))).toBeNull();
    expect(await inTransaction(({ leases }) => leases.renew(first.id, second?.fence ?? 0, 30_000))).toMatchObject({
      cancel_requested: false,
    });
  });

  test('a claim skips a deployment that a request has locked, and takes the next task', async () => {
    const cluster_id = await insertCluster(database.db);
    const busy = await insertDeployment(database.db, cluster_id);
    const idle = await insertDeployment(database.db, cluster_id);
    await insertTask(database.db, { deployment_id: busy, cluster_id, execute_in: -9 });
    await insertTask(database.db, { deployment_id: idle, cluster_id, execute_in: -5 });

    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const request = inTransaction(async ({ deployments }) => {
      await deployments.lock(busy);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;

    const claimed = await claim('one');
    release.resolve();
    await request;

    expect(claimed?.deployment_id).toBe(idle);
  });

  test('a claim takes the task that has been due longest, on any cluster', async () => {
    const [one, two] = [await insertCluster(database.db), await insertCluster(database.db)];
    await insertTask(database.db, {
      cluster_id: one,
      deployment_id: await insertDeployment(database.db, one),
      execute_in: -5,
    });
    const oldest = await insertTask(database.db, {
      cluster_id: two,
      deployment_id: await insertDeployment(database.db, two),
      execute_in: -9,
    });

    expect((await claim('one'))?.id).toBe(oldest);
  });

  test('a claim costs hardly more with a long queue than with a short one, even right after the queue grew', async () => {
    const fastestMs = async () => {
      const times: number[] = [];
      for (let n = 0; n < 15; n += 1) {
        const started = performance.now();
        await claim('one');
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    const cluster_id = await insertCluster(database.db);
    await insertQueue(database.db, cluster_id, 20);
    const short = await fastestMs();

    await insertQueue(database.db, await insertCluster(database.db), 5_000);

    expect((await fastestMs()) / short).toBeLessThan(8);
  });
});
