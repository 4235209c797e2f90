import { describe, expect, test } from 'vitest';
import { type WaitingTask, type World, whyNotYet } from './wait-reason.ts';

const task: WaitingTask = { due_at: '2026-01-01T12:00:00.000Z', attempts: 0, is_waiting: false, reason: null };
const cluster = { name: 'prod', ignore: false, is_ok: true, last_seen_at: '2026-01-01T11:00:00.000Z' };
const world: World = {
  now: '2026-01-01T12:00:00.000Z',
  earlier: null,
  clusters: [cluster],
  startedOnCluster: 0,
  startedInAll: 0,
  limits: { perCluster: 2, inAll: 4 },
};

describe('whyNotYet', () => {
  test.for<[string, Partial<WaitingTask>, Partial<World>, string | null]>([
    ['lets a due task start', {}, {}, null],
    ['names the task before it', {}, { earlier: { id: 't1' } }, 'waiting for task t1'],
    ['names its time', { due_at: '2026-01-01T12:00:00.001Z' }, {}, 'scheduled for 2026-01-01T12:00:00.001Z'],
    [
      'tells why it has to try again',
      { due_at: '2026-01-01T12:01:00.000Z', attempts: 1, reason: 'connection refused' },
      {},
      'scheduled for 2026-01-01T12:01:00.000Z after attempt 1 failed: connection refused',
    ],
    [
      'tells what it waits for, before Helm had begun and after',
      { due_at: '2026-01-01T12:01:00.000Z', attempts: 2, is_waiting: true, reason: 'prod:6443 refused the connection' },
      {},
      'waiting until 2026-01-01T12:01:00.000Z to try again: prod:6443 refused the connection',
    ],
    ['names an ignored cluster', {}, { clusters: [{ ...cluster, ignore: true }] }, 'cluster prod is ignored'],
    [
      'names a cluster that does not answer',
      {},
      { clusters: [{ ...cluster, is_ok: false }] },
      'cluster prod not reachable since 2026-01-01T11:00:00.000Z',
    ],
    [
      'minds the second cluster too',
      {},
      { clusters: [cluster, { ...cluster, name: 'old', ignore: true }] },
      'cluster old is ignored',
    ],
    ['waits for a cluster to become known', {}, { clusters: [null] }, 'its cluster is not known'],
    ['keeps to the limit of the cluster', {}, { startedOnCluster: 2 }, 'no free runner: 2 tasks run on its cluster'],
    ['keeps to the limit of all', {}, { startedInAll: 4 }, 'no free runner: 4 tasks run'],
    [
      'tells the order before anything else',
      { due_at: '2027-01-01T00:00:00.000Z' },
      { earlier: { id: 't1' }, clusters: [null] },
      'waiting for task t1',
    ],
  ])('%s', ([, changedTask, changedWorld, reason]) => {
    expect(whyNotYet({ ...task, ...changedTask }, { ...world, ...changedWorld })).toBe(reason);
  });
});
