import type { Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { randomOf } from '@berth/testing/random-of';
import {
  type ClusterRow,
  emptyAll,
  insertCluster,
  insertDeployment,
  insertTask,
  type TaskRow,
} from '../../../test/support/sample-rows.ts';
import { waitReason } from '../../engine/tasks/wait-reason.ts';
import { type WritingStore, writingStore } from '../store.ts';

const migrations = new URL('../../../migrations/', import.meta.url);

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => emptyAll(database.db));

const limits = { perCluster: 2, inAll: 3, waitingPerCluster: 2 };

interface Case {
  task?: Partial<TaskRow>;
  cluster?: ClusterRow | null;
  second?: ClusterRow | null;
  /** Other tasks of the same deployment. */
  queue?: Partial<TaskRow>[];
  /** Started tasks of other deployments, on the same cluster and on others. */
  startedHere?: number;
  startedElsewhere?: number;
  /** Those on the same cluster only await readiness. */
  areWaits?: boolean;
  says: RegExp | null;
}

const situations: Record<string, Case> = {
  'nothing blocks the task': { says: null },
  'it is due in a second': { task: { execute_in: 1 }, says: /^scheduled for / },
  'its next attempt is not due': {
    task: { due_in: 60, attempts: 1 },
    says: /^scheduled for .* after attempt 1 failed$/,
  },
  'an earlier one is pending': { queue: [{ execute_in: -5 }], says: /^waiting for task / },
  'an earlier one runs': { queue: [{ execute_in: -5, status: 'Started' }], says: /^waiting for task / },
  'an earlier one waits for its next attempt': { queue: [{ execute_in: -5, due_in: 60 }], says: /^waiting for task / },
  'an earlier one is done': { queue: [{ execute_in: -5, status: 'Done' }], says: null },
  'an earlier one has failed': { queue: [{ execute_in: -5, status: 'Failed' }], says: null },
  'an earlier one was canceled': { queue: [{ execute_in: -5, status: 'Canceled' }], says: null },
  'a later one runs, since the clock was set back': {
    queue: [{ execute_in: 5, status: 'Started' }],
    says: /^waiting for task /,
  },
  'a later one is scheduled': { queue: [{ execute_in: 3_600 }], says: null },
  'the cluster is unknown': { cluster: null, says: /^its cluster is not known$/ },
  'the cluster was deleted': { cluster: { deleted: true }, says: /^its cluster is not known$/ },
  'the cluster is ignored': { cluster: { ignore: true }, says: /^cluster prod is ignored$/ },
  'the cluster does not answer': {
    cluster: { is_ok: false },
    says: /^cluster prod not reachable since 2026-01-01T10:00:00.000Z$/,
  },
  'the cluster is ignored and does not answer': {
    cluster: { ignore: true, is_ok: false },
    says: /^cluster prod is ignored$/,
  },
  'both clusters of a move answer': { second: {}, says: null },
  'the old cluster of a move does not answer': {
    second: { name: 'old', is_ok: false },
    says: /^cluster old not reachable since /,
  },
  'the old cluster of a move is ignored': { second: { name: 'old', ignore: true }, says: /^cluster old is ignored$/ },
  'the old cluster of a move is unknown': { second: null, says: /^the cluster that it leaves is not known$/ },
  'the cluster has one slot left': { startedHere: 1, says: null },
  'the cluster is full': { startedHere: 2, says: /^waiting for a slot: 2 tasks work on its cluster$/ },
  'tasks of the cluster only await readiness, fewer than may': { startedHere: 1, areWaits: true, says: null },
  'as many tasks of the cluster await readiness as may': {
    startedHere: 2,
    areWaits: true,
    says: /^waiting for a slot: 2 tasks await readiness on its cluster$/,
  },
  'the platform has one slot left': { startedElsewhere: 2, says: null },
  'the platform is full': { startedElsewhere: 3, says: /^waiting for a slot: 3 tasks work$/ },
};

/** The reason of a pending task, and the task that the next claim would take; the claim is rolled back. */
async function explainedAndClaimed(store: WritingStore, id: string) {
  const [facts] = await store.waitFacts.of([id], limits);
  if (!facts) throw new Error('the task is pending');
  const claimed = await store.claims.take({ runner: 'one', leaseMs: 30_000, limits, continuesWaits: true });
  return { facts, reason: waitReason(facts, limits), claimed: claimed?.id ?? null };
}

test.for(Object.entries(situations))(
  'a task is claimed only if it has no reason to wait: %s',
  async ([, situation]) => {
    const { db } = database;
    const unknown = crypto.randomUUID();
    const cluster_id = situation.cluster === null ? unknown : await insertCluster(db, situation.cluster);
    const { second: other } = situation;
    const second = other === undefined ? null : other === null ? unknown : await insertCluster(db, other);
    const deployment_id = await insertDeployment(db, cluster_id);
    for (const earlier of situation.queue ?? []) await insertTask(db, { deployment_id, cluster_id, ...earlier });
    const id = await insertTask(db, { deployment_id, cluster_id, also_cluster_id: second, ...situation.task });
    const elsewhere = await insertCluster(db, { name: 'elsewhere', is_ok: false });
    for (const [cluster, count] of [
      [cluster_id, situation.startedHere ?? 0],
      [elsewhere, situation.startedElsewhere ?? 0],
    ] as const) {
      for (let n = 0; n < count; n += 1) {
        const started = await insertDeployment(db, cluster);
        await insertTask(db, { deployment_id: started, cluster_id: cluster, status: 'Started' });
      }
    }

    if (situation.areWaits)
      await db.query(statement`
        update deployment_tasks set awaits_readiness = true where status = 'Started' and cluster_id = ${cluster_id}
      `);

    const { reason, claimed } = await db.transaction((tx) => explainedAndClaimed(writingStore(tx), id));

    expect(reason ?? '').toMatch(situation.says ?? /^$/);
    // An earlier task in the queue may start first.
    expect(claimed === id).toBe(reason === null);
  },
);

// Some two thousand statements: two seconds alone, much longer beside other tests.
test('in generated situations a task is claimed if and only if it has no reason to wait', async () => {
  const combinations = new Map<string, number>();
  for (let seed = 0; seed < 80; seed += 1) {
    await rolledBack(database.db, async (tx) => {
      const pending = await generate(tx, randomOf(seed));
      for (const id of pending) {
        await rolledBack(tx, async (alone) => {
          await onlyDue(alone, id);

          const { facts, reason, claimed } = await explainedAndClaimed(writingStore(alone), id);

          expect(claimed, `seed ${seed}, reason: ${reason}`).toBe(reason === null ? id : null);
          const { queue_obstacle, cluster_obstacle, other_cluster_obstacle, limit_obstacle } = facts;
          const combination = [queue_obstacle, cluster_obstacle, other_cluster_obstacle, limit_obstacle].join();
          combinations.set(combination, (combinations.get(combination) ?? 0) + 1);
        });
      }
    });
  }

  // Each obstacle was the only one at least once.
  expect([...combinations.keys()]).toEqual(
    expect.arrayContaining([
      ',,,',
      'earlier task,,,',
      'not due,,,',
      ...['unknown', 'ignored', 'unreachable'].flatMap((obstacle) => [`,${obstacle},,`, `,,${obstacle},`]),
      ',,,cluster full',
      ',,,platform full',
    ]),
  );
});

const rollBack = new Error('rolled back on purpose');

async function rolledBack(db: Pick<Transaction, 'transaction'>, work: (tx: Transaction) => Promise<void>) {
  const failed = db.transaction(async (tx) => {
    await work(tx);
    throw rollBack;
  });
  await failed.catch((error: unknown) => {
    if (error !== rollBack) throw error;
  });
}

/** Makes the task the only one that the next claim could take: no other is due. */
const onlyDue = (tx: Transaction, id: string) =>
  tx.query(statement`
    update deployment_tasks set due_at = now() + interval '1 day' where status = 'Pending' and id <> ${id}
  `);

/** Inserts random clusters, deployments and tasks; returns the pending tasks. */
async function generate(tx: Transaction, random: () => number): Promise<string[]> {
  const isLikely = (chance: number) => random() < chance;
  const oneOf = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  };
  const clusters: string[] = [crypto.randomUUID()];
  for (let n = 0; n < 4; n += 1) {
    const row = { name: `c${n}`, is_ok: isLikely(0.8), ignore: isLikely(0.2), deleted: isLikely(0.1) };
    clusters.push(await insertCluster(tx, row));
  }
  const pending: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const home = oneOf(clusters);
    const deployment_id = await insertDeployment(tx, home);
    const hasStarted = isLikely(0.4);
    for (let position = 0; position < 1 + Math.floor(random() * 2); position += 1) {
      const status =
        hasStarted && position === 0 ? 'Started' : oneOf(['Pending', 'Pending', 'Pending', 'Done', 'Failed'] as const);
      const id = await insertTask(tx, {
        deployment_id,
        cluster_id: isLikely(0.8) ? home : oneOf(clusters),
        also_cluster_id: isLikely(0.4) ? oneOf(clusters) : null,
        status,
        execute_in: oneOf([-20, -10, -10, -5, 60]),
        ...(isLikely(0.2) && { due_in: 30 }),
        attempts: oneOf([0, 0, 1, 2]),
      });
      if (status === 'Pending') pending.push(id);
    }
  }
  return pending;
}
