import { describe, expect, test } from 'vitest';
import { type WaitFacts, waitReason, whyNotStarted } from './wait-reason.ts';

const limits = { perCluster: 2, inAll: 4, waitingPerCluster: 3 };
const cluster = { name: 'prod', last_seen_at: '2026-01-01T11:00:00.000Z' };
const free: WaitFacts = {
  queue_obstacle: null,
  earlier_task_id: null,
  due_at: '2026-01-01T12:00:00.000Z',
  attempts: 0,
  is_waiting: false,
  reason: null,
  cluster_obstacle: null,
  cluster,
  other_cluster_obstacle: null,
  other_cluster: null,
  limit_obstacle: null,
  is_new: false,
  waiting_before: 0,
};

describe('the reason why a task waits', () => {
  test.for<[string, Partial<WaitFacts>, string | null]>([
    ['is absent if nothing blocks the task', {}, null],
    ['names the task before it', { queue_obstacle: 'earlier task', earlier_task_id: 't1' }, 'waiting for task t1'],
    ['names its time', { queue_obstacle: 'not due' }, 'scheduled for 2026-01-01T12:00:00.000Z'],
    [
      'says why the last attempt failed',
      { queue_obstacle: 'not due', attempts: 1, reason: 'connection refused' },
      'scheduled for 2026-01-01T12:00:00.000Z after attempt 1 failed: connection refused',
    ],
    [
      'names the dependency that it waits for, before Helm began and after',
      { queue_obstacle: 'not due', attempts: 2, is_waiting: true, reason: 'prod:6443 refused the connection' },
      'waiting until 2026-01-01T12:00:00.000Z to try again: prod:6443 refused the connection',
    ],
    ['names an ignored cluster', { cluster_obstacle: 'ignored' }, 'cluster prod is ignored'],
    [
      'names an unreachable cluster and since when',
      { cluster_obstacle: 'unreachable' },
      'cluster prod not reachable since 2026-01-01T11:00:00.000Z',
    ],
    [
      'names the other cluster of a move',
      { other_cluster_obstacle: 'ignored', other_cluster: { ...cluster, name: 'old' } },
      'cluster old is ignored',
    ],
    [
      'does not name the cluster of another env',
      { cluster_obstacle: 'unreachable', cluster: { ...cluster, name: null } },
      'its cluster is not reachable since 2026-01-01T11:00:00.000Z',
    ],
    [
      'does not name the cluster of another env that a move leaves',
      { other_cluster_obstacle: 'ignored', other_cluster: { ...cluster, name: null } },
      'the cluster that it leaves is ignored',
    ],
    ['says that a cluster is unknown', { cluster_obstacle: 'unknown', cluster: null }, 'its cluster is not known'],
    [
      'names the limit per cluster',
      { limit_obstacle: 'cluster full' },
      'waiting for a slot: 2 tasks work on its cluster',
    ],
    [
      'names the waits of its cluster',
      { limit_obstacle: 'cluster waits' },
      'waiting for a slot: 3 tasks await readiness on its cluster',
    ],
    ['names the limit of the platform', { limit_obstacle: 'platform full' }, 'waiting for a slot: 4 tasks work'],
    [
      'names the queue rather than clusters and limits',
      {
        queue_obstacle: 'earlier task',
        earlier_task_id: 't1',
        cluster_obstacle: 'unknown',
        limit_obstacle: 'cluster full',
      },
      'waiting for task t1',
    ],
    [
      'names a cluster rather than a limit',
      { cluster_obstacle: 'ignored', limit_obstacle: 'cluster full' },
      'cluster prod is ignored',
    ],
  ])('%s', ([, facts, reason]) => {
    expect(waitReason({ ...free, ...facts }, limits)).toBe(reason);
  });
});

test.for<[string, boolean, number]>([
  ['about to start', true, 0],
  ['no free runner', false, 0],
  ['no free runner; 1 task waits before it', true, 1],
  ['no free runner; 99 tasks wait before it', false, 99],
  ['no free runner; 100 or more tasks wait before it', false, 100],
])('a task that may start says: %s', ([words, is_new, waiting_before]) => {
  expect(whyNotStarted({ is_new, waiting_before })).toBe(words);
});
