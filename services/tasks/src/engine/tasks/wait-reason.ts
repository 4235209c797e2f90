import type { Limits } from '../../records/limits.ts';

export const queueObstacles = ['earlier task', 'not due'] as const;
export type QueueObstacle = (typeof queueObstacles)[number];

export const clusterObstacles = ['unknown', 'ignored', 'unreachable'] as const;
export type ClusterObstacle = (typeof clusterObstacles)[number];

export const limitObstacles = ['cluster full', 'platform full'] as const;
export type LimitObstacle = (typeof limitObstacles)[number];

interface ClusterFacts {
  name: string;
  last_seen_at: string;
}

/** Why a pending task cannot start, by the conditions of the claim itself, with the facts that the reason needs. */
export interface WaitFacts {
  queue_obstacle: QueueObstacle | null;
  earlier_task_id: string | null;
  /** Due later than requested, after a failed attempt. */
  due_at: string;
  attempts: number;
  /** It waits for a dependency, not for its next attempt. */
  is_waiting: boolean;
  /** Why its last claim ended without success. */
  reason: string | null;

  cluster_obstacle: ClusterObstacle | null;
  cluster: ClusterFacts | null;
  other_cluster_obstacle: ClusterObstacle | null;
  other_cluster: ClusterFacts | null;

  limit_obstacle: LimitObstacle | null;
  /** It has been due for no longer than a free runner may take to claim it. */
  is_new: boolean;
  /** Due tasks that may start as well and are older, counted among the first `mostCounted` in the queue. */
  waiting_before: number;
}

export const mostCounted = 100;

/** Why a pending task cannot start now, in words for the user; null if it can. */
export function waitReason(facts: WaitFacts, limits: Limits): string | null {
  return (
    queueReason(facts) ??
    clusterReason(facts.cluster_obstacle, facts.cluster) ??
    clusterReason(facts.other_cluster_obstacle, facts.other_cluster) ??
    limitReason(facts, limits)
  );
}

/** Why a task that may start has not started. */
export function whyNotStarted({ is_new, waiting_before }: Pick<WaitFacts, 'is_new' | 'waiting_before'>): string {
  if (waiting_before === 0) return is_new ? 'about to start' : 'no free runner';
  if (waiting_before >= mostCounted) return `no free runner; ${mostCounted} or more tasks wait before it`;
  return `no free runner; ${waiting_before} ${waiting_before === 1 ? 'task waits' : 'tasks wait'} before it`;
}

function queueReason({ queue_obstacle, earlier_task_id, ...schedule }: WaitFacts): string | null {
  if (queue_obstacle === null) return null;
  return queue_obstacle === 'earlier task' ? `waiting for task ${earlier_task_id}` : scheduled(schedule);
}

function scheduled({ due_at, attempts, is_waiting, reason }: Omit<WaitFacts, 'queue_obstacle' | 'earlier_task_id'>) {
  if (is_waiting) return `waiting until ${due_at} to try again${reason === null ? '' : `: ${reason}`}`;
  if (attempts === 0) return reason ?? `scheduled for ${due_at}`;
  return `scheduled for ${due_at} after attempt ${attempts} failed${reason === null ? '' : `: ${reason}`}`;
}

function clusterReason(obstacle: ClusterObstacle | null, cluster: ClusterFacts | null): string | null {
  if (obstacle === null) return null;
  if (obstacle === 'unknown' || cluster === null) return 'its cluster is not known';
  return obstacle === 'ignored'
    ? `cluster ${cluster.name} is ignored`
    : `cluster ${cluster.name} not reachable since ${cluster.last_seen_at}`;
}

function limitReason({ limit_obstacle }: WaitFacts, { perCluster, inAll }: Limits): string | null {
  if (limit_obstacle === null) return null;
  return limit_obstacle === 'cluster full'
    ? `waiting for a slot: ${perCluster} tasks work on its cluster`
    : `waiting for a slot: ${inAll} tasks work`;
}
