import type { Queries } from '@berth/shared/db/database';
import type { Condition } from '@berth/shared/db/lists/list-filters';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/** How many tasks there are of which the columns that are counted fulfil the conditions. Triggers count all changes of tasks. */
export const numberOfTasks = (where: readonly Condition[]): FragmentSqlToken =>
  sql.fragment`select coalesce(sum(tasks), 0)::bigint from deployment_task_counts where ${sql.and(where)}`;

export const createTaskCountRepository = (db: Queries) => ({
  /**
   * Makes one row of those of the same tasks, for some deployments; returns for how many. Concurrent runs add up different
   * rows, and a row that is added meanwhile stays.
   */
  addUp: async (limit: number): Promise<number> =>
    (
      await db.one(sql.type(z.object({ groups: z.number().int() }))`
        with scattered as materialized (
          select deployment_id, env_id, cluster_id, status from deployment_task_counts
          group by 1, 2, 3, 4 having count(*) > 1
          limit ${limit}
        ),
        locked as materialized (
          select c.ctid from deployment_task_counts c
          join scattered s using (deployment_id, env_id, cluster_id, status)
          for update of c skip locked
        ),
        removed as (
          delete from deployment_task_counts where ctid = any(array(select ctid from locked)) returning *
        ),
        added as (
          insert into deployment_task_counts
          select deployment_id, env_id, cluster_id, status, sum(tasks) from removed group by 1, 2, 3, 4 having sum(tasks) <> 0
        )
        select count(*) as groups from scattered
      `)
    ).groups,
});
export type TaskCountRepository = ReturnType<typeof createTaskCountRepository>;
