export interface WaitingTask {
  /** When it may run; after a failed attempt later than it was asked for. */
  due_at: string;
  attempts: number;
  /** Whether it waits for what it depends on, rather than for its next attempt. */
  is_waiting: boolean;
  /** Why the last attempt, or look, failed. */
  reason: string | null;
}

export interface ClusterState {
  name: string;
  ignore: boolean;
  is_ok: boolean;
  last_seen_at: string;
}

/** What a task may have to wait for, as it is now. */
export interface World {
  /** By the clock of the database, as all times here. */
  now: string;
  /** The first task of the same deployment that is before it in the queue. */
  earlier: { id: string } | null;
  /** Those it needs, in the order in which they are told; null stands for one that is not known (any more). */
  clusters: readonly (ClusterState | null)[];
  startedOnCluster: number;
  startedInAll: number;
  limits: Limits;
}

export interface Limits {
  perCluster: number;
  inAll: number;
}

/**
 * Why a pending task cannot start now, in words for the user; null where it can.
 * The claim statement in `claim-repository.ts` decides by the same rules; a test holds the two together.
 */
export function whyNotYet(task: WaitingTask, world: World): string | null {
  const { earlier, clusters, limits } = world;
  if (earlier) return `waiting for task ${earlier.id}`;
  if (task.due_at > world.now) return scheduled(task);

  for (const cluster of clusters) {
    if (cluster === null) return 'its cluster is not known';
    if (cluster.ignore) return `cluster ${cluster.name} is ignored`;
    if (!cluster.is_ok) return `cluster ${cluster.name} not reachable since ${cluster.last_seen_at}`;
  }

  if (world.startedOnCluster >= limits.perCluster)
    return `${noFreeRunner}: ${limits.perCluster} tasks run on its cluster`;
  if (world.startedInAll >= limits.inAll) return `${noFreeRunner}: ${limits.inAll} tasks run`;
  return null;
}

/** What a task waits for that could start: somebody who takes it. */
export const noFreeRunner = 'no free runner';

function scheduled({ due_at, attempts, is_waiting, reason }: WaitingTask): string {
  if (is_waiting) return `waiting until ${due_at} to try again${reason === null ? '' : `: ${reason}`}`;
  if (attempts === 0) return reason ?? `scheduled for ${due_at}`;
  return `scheduled for ${due_at} after attempt ${attempts} failed${reason === null ? '' : `: ${reason}`}`;
}
