import type { Fact } from '@berth/contracts/resources/deployments/why';
import type { Limits } from '../../records/limits.ts';

export const queueObstacles = ['earlier task', 'not due'] as const;
export type QueueObstacle = (typeof queueObstacles)[number];

export const clusterObstacles = ['unknown', 'ignored', 'unreachable'] as const;
export type ClusterObstacle = (typeof clusterObstacles)[number];

export const limitObstacles = ['cluster full', 'cluster waits', 'platform full'] as const;
export type LimitObstacle = (typeof limitObstacles)[number];

interface ClusterFacts {
  /** Null if it is not in the env of those who read the reason. */
  name: string | null;
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
  /** Older due tasks that may start as well, of envs that hold no more slots; counted among the first `mostCounted` in the queue. */
  waiting_before: number;
}

export const mostCounted = 100;

/** Why a pending task cannot start now, in words for the user; null if it can. */
export const waitReason = (facts: WaitFacts, limits: Limits): string | null =>
  waitsFor(facts, limits)[0]?.message ?? null;

/** Everything that a pending task waits for now, in the order in which it counts. */
export const waitsFor = (facts: WaitFacts, limits: Limits): Fact[] =>
  [
    queueFact(facts),
    clusterFact('its cluster', facts.cluster_obstacle, facts.cluster),
    clusterFact('the cluster that it leaves', facts.other_cluster_obstacle, facts.other_cluster),
    limitFact(facts, limits),
  ].filter((fact) => fact !== null);

/** Why a task that may start has not started. */
export function whyNotStarted({ is_new, waiting_before }: Pick<WaitFacts, 'is_new' | 'waiting_before'>): string {
  if (waiting_before === 0) return is_new ? 'about to start' : 'no free runner';
  if (waiting_before >= mostCounted) return `no free runner; ${mostCounted} or more tasks wait before it`;
  return `no free runner; ${waiting_before} ${waiting_before === 1 ? 'task waits' : 'tasks wait'} before it`;
}

export const notStarted = (facts: Pick<WaitFacts, 'is_new' | 'waiting_before'>): Fact => ({
  kind: 'no_free_runner',
  object: null,
  since: null,
  until: null,
  message: whyNotStarted(facts),
});

function queueFact({ queue_obstacle, earlier_task_id: id, ...schedule }: WaitFacts): Fact | null {
  if (queue_obstacle === null) return null;
  if (queue_obstacle === 'not due') return scheduled(schedule);
  const object = { kind: 'deployment_task', id, name: null };
  return { kind: 'earlier_task', object, since: null, until: null, message: `waiting for task ${id}` };
}

function scheduled({
  due_at: until,
  attempts,
  is_waiting,
  reason,
}: Pick<WaitFacts, 'due_at' | 'attempts' | 'is_waiting' | 'reason'>): Fact {
  const because = reason === null ? '' : `: ${reason}`;
  const fact = { object: null, since: null, until };
  if (is_waiting) return { ...fact, kind: 'next_attempt', message: `waiting until ${until} to try again${because}` };
  if (attempts === 0) return { ...fact, kind: 'scheduled', message: reason ?? `scheduled for ${until}` };
  return {
    ...fact,
    kind: 'next_attempt',
    message: `scheduled for ${until} after attempt ${attempts} failed${because}`,
  };
}

function clusterFact(which: string, obstacle: ClusterObstacle | null, cluster: ClusterFacts | null): Fact | null {
  if (obstacle === null) return null;
  const name = cluster?.name ?? null;
  const about = { object: name === null ? null : { kind: 'k8s_cluster', id: null, name }, until: null };
  if (obstacle === 'unknown' || cluster === null) {
    return { ...about, kind: 'cluster_unknown', since: null, message: `${which} is not known` };
  }
  const words = name === null ? which : `cluster ${name}`;
  if (obstacle === 'ignored') return { ...about, kind: 'cluster_ignored', since: null, message: `${words} is ignored` };
  const since = cluster.last_seen_at;
  const message = `${words} ${name === null ? 'is ' : ''}not reachable since ${since}`;
  return { ...about, kind: 'cluster_unreachable', since, message };
}

function limitFact({ limit_obstacle }: WaitFacts, { perCluster, inAll, waitingPerCluster }: Limits): Fact | null {
  const fact = { object: null, since: null, until: null };
  switch (limit_obstacle) {
    case 'cluster full':
      return { ...fact, kind: 'cluster_full', message: `waiting for a slot: ${perCluster} tasks work on its cluster` };
    case 'cluster waits': {
      const message = `waiting for a slot: ${waitingPerCluster} tasks await readiness on its cluster`;
      return { ...fact, kind: 'cluster_full', message };
    }
    case 'platform full':
      return { ...fact, kind: 'platform_full', message: `waiting for a slot: ${inAll} tasks work` };
    default:
      return null;
  }
}
