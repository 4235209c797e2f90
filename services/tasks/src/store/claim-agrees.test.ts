import { type OpenTestDatabase, openTestDatabase } from '@berth/shared/testing/open-test-database';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type ClusterRow,
  emptyAll,
  insertCluster,
  insertDeployment,
  insertTask,
  type TaskRow,
} from '../../test/support/sample-rows.ts';
import { inTransactionOf } from './store.ts';
import { whyNotYet } from '../engine/tasks/wait-reason.ts';
import { createWorldRepository } from './wait-facts-repository.ts';

const migrations = new URL('../../migrations/', import.meta.url);

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => emptyAll(database.db));

const limits = { perCluster: 2, inAll: 3 };

interface Case {
  task?: Partial<TaskRow>;
  cluster?: ClusterRow | null;
  second?: ClusterRow | null;
  /** Other tasks of the same deployment. */
  queue?: Partial<TaskRow>[];
  /** Started tasks of other deployments on the same cluster, and elsewhere. */
  startedHere?: number;
  startedElsewhere?: number;
  says: RegExp | null;
}

const worlds: Record<string, Case> = {
  'nothing is in the way': { says: null },
  'it is due in a second': { task: { execute_in: 1 }, says: /^scheduled for / },
  'it waits for its next attempt': {
    task: { due_in: 60, attempts: 1 },
    says: /^scheduled for .* after attempt 1 failed$/,
  },
  'an earlier one is pending': { queue: [{ execute_in: -5 }], says: /^waiting for task / },
  'an earlier one runs': { queue: [{ execute_in: -5, status: 'Started' }], says: /^waiting for task / },
  'an earlier one waits for its next attempt': { queue: [{ execute_in: -5, due_in: 60 }], says: /^waiting for task / },
  'an earlier one is done': { queue: [{ execute_in: -5, status: 'Done' }], says: null },
  'an earlier one has failed': { queue: [{ execute_in: -5, status: 'Failed' }], says: null },
  'an earlier one was canceled': { queue: [{ execute_in: -5, status: 'Canceled' }], says: null },
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
  'the old cluster of a move is unknown': { second: null, says: /^its cluster is not known$/ },
  'the cluster has one place left': { startedHere: 1, says: null },
  'the cluster is full': { startedHere: 2, says: /^no free runner/ },
  'the platform has one place left': { startedElsewhere: 2, says: null },
  'the platform is full': { startedElsewhere: 3, says: /^no free runner/ },
};

const words = (says: RegExp | null) => (says === null ? null : expect.stringMatching(says));

test.for(Object.entries(worlds))('the claim and its explanation agree where %s', async ([, world]) => {
  const { db } = database;
  const unknown = crypto.randomUUID();
  const cluster_id = world.cluster === null ? unknown : await insertCluster(db, world.cluster);
  const second =
    world.second === undefined ? null : world.second === null ? unknown : await insertCluster(db, world.second);
  const deployment_id = await insertDeployment(db, cluster_id);
  for (const other of world.queue ?? []) await insertTask(db, { deployment_id, cluster_id, ...other });
  const id = await insertTask(db, { deployment_id, cluster_id, also_cluster_id: second, ...world.task });
  const elsewhere = await insertCluster(db, { name: 'elsewhere', is_ok: false });
  for (const [place, count] of [
    [cluster_id, world.startedHere ?? 0],
    [elsewhere, world.startedElsewhere ?? 0],
  ] as const) {
    for (let n = 0; n < count; n += 1) {
      const other = await insertDeployment(db, place);
      await insertTask(db, { deployment_id: other, cluster_id: place, status: 'Started' });
    }
  }

  const [waiter] = await createWorldRepository(db, limits).of([id]);
  if (!waiter) throw new Error('the task is pending');
  const reason = whyNotYet(waiter.task, waiter.world);
  // The queue may hold an earlier task that can start; only this one is asked about.
  const claimed = await inTransactionOf(db)(({ claims }) => claims.take({ runner: 'one', leaseMs: 30_000, limits }));

  expect(reason).toEqual(words(world.says));
  expect(claimed?.id === id).toBe(reason === null);
});
