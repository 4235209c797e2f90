import { Id } from '@berth/contracts/fields/fields';
import type { Queries, Transaction } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Retention } from '../../records/retention.ts';
import { type PublishedTask, publishedColumns, publishedTask, publishedTasks } from './published-tasks.ts';

/** Where a walk over finished tasks continues. */
const Position = z.object({ finished_at: z.string(), id: Id });
export type Position = z.infer<typeof Position>;

const Examined = Position.extend({ is_needed: z.boolean(), log_lines: z.number().int() });
export type Examined = z.infer<typeof Examined>;

const withId = sql.type(z.object({ deployment_id: Id }));

/** As text, since a JavaScript time loses digits and would sort before its own row. */
const examinedColumns = sql.fragment`t.finished_at::text as finished_at, t.id, t.log_lines`;

/** Younger tasks always stay: events still name them, and so do remembered answers to repeated requests. */
const old = sql.fragment`t.finished_at < now() - interval '1 day'`;

const isNewer = sql.fragment`(n.finished_at, n.id) > (t.finished_at, t.id)`;

/**
 * Tasks that are still needed: the revision, the last one that succeeded, and those to roll back to. A deleted deployment needs
 * none.
 */
const needed = ({ runs }: Retention) => sql.fragment`(
  t.status = 'Done' and exists (
    select from deployments d where d.id = t.deployment_id and (
      d.revision_id = t.id
      or not exists (
        select from deployment_tasks n where n.deployment_id = t.deployment_id and n.status = 'Done' and ${isNewer}
      )
      or t.effect = 'installs' and ${runs} > (
        select count(*) from (
          select from deployment_tasks n
          where n.deployment_id = t.deployment_id and n.status = 'Done' and n.effect = 'installs' and ${isNewer}
          limit ${runs}
        ) newer
      )
    )
  )
)`;

export const createRetentionRepository = (db: Queries) => ({
  /** Tasks that are past their retention, oldest first, and whether they are still needed. */
  outdated: (retention: Retention, after: Position | null, limit: number) =>
    db.any(sql.type(Examined)`
      select ${examinedColumns}, ${needed(retention)} as is_needed
      from (
        select * from deployment_tasks t
        where ${old} and t.finished_at < now() - ${retention.days} * interval '1 day'
          and (
            ${after === null}
            or (t.finished_at, t.id) > (${after?.finished_at ?? null}::timestamptz, ${after?.id ?? null}::uuid)
          )
        order by t.finished_at, t.id limit ${limit}
      ) t
      order by t.finished_at, t.id
    `),

  /** Deployments that have more finished tasks than are kept, ordered by id. */
  crowded: ({ perDeployment }: Retention, after: string | null, limit: number) =>
    db.anyFirst(withId`
      select deployment_id from deployment_task_counts
      where ${after === null} or deployment_id > ${after}::uuid
      group by deployment_id having sum(tasks) > ${perDeployment}
      order by deployment_id limit ${limit}
    `),

  /** Finished tasks of a deployment that are neither needed nor among the newest. */
  surplus: (deployment_id: string, retention: Retention, limit: number) =>
    db.any(sql.type(Examined)`
      select ${examinedColumns}, false as is_needed
      from (
        select * from deployment_tasks t
        where t.deployment_id = ${deployment_id} and t.finished_at is not null
        order by t.execute_at desc, t.id desc offset ${retention.perDeployment}
      ) t
      where ${old} and not ${needed(retention)}
      order by t.finished_at, t.id limit ${limit}
    `),
});

export const createRetentionChanges = (tx: Transaction) => ({
  /** Removes tasks with their logs; locked tasks are left to the next time. */
  remove: (ids: readonly string[]): Promise<readonly PublishedTask[]> =>
    tx
      .any(publishedTask`
        delete from deployment_tasks t where t.id in (
          select id from deployment_tasks
          where id = any(${sql.array([...ids], 'uuid')}) and finished_at is not null
          order by id for update skip locked
        )
        returning ${publishedColumns}
      `)
      .then(publishedTasks(tx).deleted),
});
