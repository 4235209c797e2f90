import { Id, Timestamp } from '@berth/shared/contracts/fields';
import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Limits, WaitingTask, World } from '../engine/tasks/wait-reason.ts';

const ClusterSeen = z.object({ name: z.string(), ignore: z.boolean(), is_ok: z.boolean(), last_seen_at: Timestamp });

const Waiting = z.object({
  id: Id,
  due_at: Timestamp,
  attempts: z.number().int(),
  is_waiting: z.boolean(),
  reason: z.string().nullable(),
  now: Timestamp,
  earlier: Id.nullable(),
  needs_second: z.boolean(),
  first: ClusterSeen.nullable(),
  second: ClusterSeen.nullable(),
  started_on_cluster: z.number().int(),
  started_in_all: z.number().int(),
});

export interface Waiter {
  id: string;
  task: WaitingTask;
  world: World;
}

const clusterAsJson = sql.fragment`
  jsonb_build_object(
    'name', c.name, 'ignore', c.ignore, 'is_ok', c.is_ok,
    'last_seen_at', to_char(c.last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )`;

/** What the pending ones among the tasks may have to wait for, in one statement for a page of them. */
export const createWorldRepository = (db: Queries, limits: Limits) => ({
  of: async (ids: readonly string[]): Promise<Waiter[]> => {
    const rows = await db.any(sql.type(Waiting)`
      select t.id, t.due_at, t.attempts, (t.waited_ms + t.forbidden_ms > 0) as is_waiting, t.reason, clock_timestamp()::timestamptz(3) as now,
        (
          select e.id from deployment_tasks e
          where e.deployment_id = t.deployment_id and e.status in ('Pending', 'Started')
            and (e.execute_at, e.created_at, e.seq) < (t.execute_at, t.created_at, t.seq)
          order by e.execute_at, e.created_at, e.seq limit 1
        ) as earlier,
        (t.also_cluster_id is not null) as needs_second,
        (select ${clusterAsJson} from k8s_clusters_seen c where c.id = t.cluster_id and not c.deleted) as first,
        (select ${clusterAsJson} from k8s_clusters_seen c where c.id = t.also_cluster_id and not c.deleted) as second,
        (
          select count(*) from deployment_tasks s where s.cluster_id = t.cluster_id and s.status = 'Started'
        ) as started_on_cluster,
        (select count(*) from deployment_tasks s where s.status = 'Started') as started_in_all
      from deployment_tasks t
      where t.id = any(${sql.array([...ids], 'uuid')}) and t.status = 'Pending'
    `);
    return rows.map(({ id, due_at, attempts, is_waiting, reason, ...row }) => ({
      id,
      task: { due_at, attempts, is_waiting, reason },
      world: {
        now: row.now,
        earlier: row.earlier === null ? null : { id: row.earlier },
        clusters: row.needs_second ? [row.first, row.second] : [row.first],
        startedOnCluster: row.started_on_cluster,
        startedInAll: row.started_in_all,
        limits,
      },
    }));
  },
});
export type WorldRepository = ReturnType<typeof createWorldRepository>;
