import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyAll, insertCluster, insertDeployment, insertTask } from '../../../test/support/sample-rows.ts';
import { type InTransaction, inTransactionOf } from '../store.ts';

const migrations = new URL('../../../migrations/', import.meta.url);
const limits = { perCluster: 1_000, inAll: 1_000, waitingPerCluster: 2 };

let database: OpenTestDatabase;
let inTransaction: InTransaction;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  inTransaction = inTransactionOf(database.db);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => emptyAll(database.db));

const claim = (checked: string | null = null) =>
  inTransaction(({ claims }) => claims.take({ runner: 'one', leaseMs: 30_000, limits, checked, continuesWaits: true }));

/** Queues this many tasks, older ones first. */
async function queue(
  cluster_id: string,
  count: number,
  { age, ...of }: { age: number; env_id?: string; requester?: string },
) {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const deployment_id = await insertDeployment(database.db, cluster_id);
    ids.push(await insertTask(database.db, { cluster_id, deployment_id, execute_in: n - age, ...of }));
  }
  return ids;
}
async function claims(count: number): Promise<(string | undefined)[]> {
  const taken: (string | undefined)[] = [];
  for (let n = 0; n < count; n += 1) taken.push((await claim())?.id);
  return taken;
}

describe('slots are shared', () => {
  test('among envs: one with a long queue does not hold them while another waits', async () => {
    const [busy, quiet] = [randomUUID(), randomUUID()];
    const many = await queue(await insertCluster(database.db, { env_id: busy }), 6, { age: 100, env_id: busy });
    const few = await queue(await insertCluster(database.db, { env_id: quiet }), 2, { age: 10, env_id: quiet });

    expect(await claims(6)).toEqual([many[0], few[0], many[1], few[1], many[2], many[3]]);
  });

  test('among requesters of an env, on all of its clusters', async () => {
    const [one, two] = [await insertCluster(database.db), await insertCluster(database.db)];
    const [eager, modest] = [randomUUID(), randomUUID()];
    const many = await queue(one, 4, { age: 100, requester: eager });
    const few = await queue(two, 2, { age: 10, requester: modest });
    const ours = await queue(one, 1, { age: 5 });

    expect(await claims(7)).toEqual([many[0], few[0], ours[0], many[1], few[1], many[2], many[3]]);
  });

  test('by tasks that work: a task that awaits readiness does not hold one', async () => {
    const cluster = await insertCluster(database.db);
    const [eager, modest] = [randomUUID(), randomUUID()];
    const [first, second] = await queue(cluster, 2, { age: 100, requester: eager });
    const [other] = await queue(cluster, 1, { age: 10, requester: modest });
    const claimed = await claim();
    expect(claimed?.id).toBe(first);
    if (claimed) await inTransaction(({ leases }) => leases.leaveSlot(claimed));

    expect(await claims(2)).toEqual([second, other]);
  });

  test('a cluster whose deploys never get ready gets no more than its share of waits, and others go on', async () => {
    const [bad, good] = [await insertCluster(database.db), await insertCluster(database.db)];
    const never = await queue(bad, 3, { age: 100 });
    for (const id of never.slice(0, 2)) {
      const claimed = await claim();
      expect(claimed?.id).toBe(id);
      if (claimed) await inTransaction(({ leases }) => leases.leaveSlot(claimed));
    }
    const [ours] = await queue(good, 1, { age: 10 });

    expect(await claims(2)).toEqual([ours, undefined]);
  });

  test('among those that could start: a requester whose only task cannot start yet does not hold up others', async () => {
    const cluster = await insertCluster(database.db);
    const deployment_id = await insertDeployment(database.db, cluster);
    await insertTask(database.db, { cluster_id: cluster, deployment_id, status: 'Started', execute_in: -50 });
    await insertTask(database.db, { cluster_id: cluster, deployment_id, execute_in: -40, requester: randomUUID() });
    const [only] = await queue(cluster, 1, { age: 10, requester: randomUUID() });

    expect(await claims(2)).toEqual([only, undefined]);
  });

  test('by whoever could start: very many requesters whose tasks cannot start yet hold up neither their env nor another', async () => {
    const [crowded, other] = [randomUUID(), randomUUID()];
    const cluster = await insertCluster(database.db, { env_id: crowded });
    for (let n = 0; n < 60; n += 1) {
      await queue(cluster, 1, { age: -3_600, env_id: crowded, requester: randomUUID() });
    }
    const ours = await queue(cluster, 3, { age: 100, env_id: crowded, requester: randomUUID() });
    const theirs = await queue(await insertCluster(database.db, { env_id: other }), 2, { age: 10, env_id: other });

    expect(await claims(5)).toEqual([ours[0], theirs[0], ours[1], theirs[1], ours[2]]);
  });

  test('among very many requesters of scheduled tasks, of which a claim takes the one whose requester was checked', async () => {
    const cluster = await insertCluster(database.db);
    const scheduled: string[] = [];
    for (let n = 0; n < 60; n += 1) scheduled.push(...(await queue(cluster, 1, { age: 100, requester: randomUUID() })));
    await database.db.query(statement`update deployment_tasks set change = '{"enabled": true}'`);

    for (let n = 0; n < 5; n += 1) {
      const checked = await inTransaction(({ claims: of }) => of.nextCheck({ limits, continuesWaits: true }));
      expect(scheduled).toContain(checked?.id);
      expect((await claim(checked?.id))?.id).toBe(checked?.id);
    }
  });

  test('among the clusters of an env, however many it has', async () => {
    const [eager, modest] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 40; n += 1) {
      await queue(await insertCluster(database.db), 2, { age: 100, requester: eager });
    }
    const other = await insertCluster(database.db);
    const [theirs] = await queue(other, 1, { age: 10, requester: modest });

    expect(await claims(40)).toContain(theirs);
  });

  test('without those that a request holds at that moment: the tasks of other envs start meanwhile', async () => {
    const [held, other] = [randomUUID(), randomUUID()];
    const cluster_id = await insertCluster(database.db, { env_id: held });
    const deployment_id = await insertDeployment(database.db, cluster_id);
    const first = await insertTask(database.db, { cluster_id, deployment_id, env_id: held, execute_in: -100 });
    const [second] = await queue(await insertCluster(database.db, { env_id: other }), 1, { age: 10, env_id: other });

    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const request = inTransaction(async ({ deployments }) => {
      await deployments.lock(deployment_id);
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const taken = await claims(2);
    over.resolve();
    await request;

    expect(taken).toEqual([second, undefined]);
    expect(await claims(1)).toEqual([first]);
  });
});

test('a task says how many wait for a slot before it: those of a cluster that is gone, or behind others, do not', async () => {
  const gone = await insertCluster(database.db, { is_ok: false });
  const cluster = await insertCluster(database.db);
  await queue(gone, 3, { age: 100 });
  const [first = ''] = await queue(cluster, 3, { age: 50 });
  const deployment_id = await insertDeployment(database.db, cluster);
  await insertTask(database.db, { cluster_id: cluster, deployment_id, status: 'Started', execute_in: -40 });
  await insertTask(database.db, { cluster_id: cluster, deployment_id, execute_in: -30 });
  const [last = ''] = await queue(cluster, 1, { age: 10 });

  const facts = await inTransaction(({ waitFacts }) => waitFacts.of([first, last], limits));

  expect(new Map(facts.map(({ id, waiting_before }) => [id, waiting_before]))).toEqual(
    new Map([
      [first, 0],
      [last, 3],
    ]),
  );
});

test('the older tasks of an env that holds more slots do not wait before a task, since it starts first', async () => {
  const [busy, quiet] = [randomUUID(), randomUUID()];
  const crowded = await insertCluster(database.db, { env_id: busy });
  const deployment_id = await insertDeployment(database.db, crowded);
  await insertTask(database.db, { cluster_id: crowded, deployment_id, env_id: busy, status: 'Started' });
  const [, , last = ''] = await queue(crowded, 3, { age: 100, env_id: busy });
  const free = await insertCluster(database.db, { env_id: quiet });
  const [ours = ''] = await queue(free, 1, { age: 99.5, env_id: quiet });

  const facts = await inTransaction(({ waitFacts }) => waitFacts.of([ours, last], limits));

  expect(new Map(facts.map(({ id, waiting_before }) => [id, waiting_before]))).toEqual(
    new Map([
      [ours, 0],
      [last, 3],
    ]),
  );
});
