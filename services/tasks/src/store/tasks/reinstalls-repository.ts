import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import type { Transaction } from '@berth/db/database';
import { currentTraceparent } from '@berth/service/trace-context';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Origin } from '../../records/new-task.ts';
import { reinstall, reinstallFor } from '../../engine/operations/reinstall.ts';
import { isReinstalled, liesIn, refersTo } from '../deployments/impact-repository.ts';
import { clock, publishedColumns, publishedTask, publishedTasks } from './published-tasks.ts';

const withId = sql.type(z.object({ id: z.string() }));

/** Queues a `Reinstall` for many deployments at once. A deployment that already has a pending one gets no second. */
export const createReinstalls = (tx: Transaction) => {
  const published = publishedTasks(tx);

  return {
    ofDependents: (item: { collection: string; id: string }, reason: string, origin: Origin) =>
      queue(refersTo(item), reason, origin),

    ofEnv: (env_id: string, reason: string, origin: Origin) => queue(liesIn(env_id), reason, origin),

    of: (ids: readonly string[], reason: string, origin: Origin) =>
      queue(sql.fragment`id = any(${sql.array([...ids], 'uuid')})`, reason, origin),
  };

  /** They are locked by an earlier statement, because only then is it certain whether one of their tasks has started. */
  async function queue(which: FragmentSqlToken, reason: string, origin: Origin) {
    const ids = await tx.anyFirst(withId`
      select id from deployments where ${which} and enabled and not deleting order by id for no key update
    `);
    if (ids.length === 0) return [];
    const rows = await tx.any(publishedTask`
      with dependents as materialized (
        select id, cluster_id, env_id from deployments d
        where id = any(${sql.array([...ids], 'uuid')}) and ${isReinstalled(sql.fragment`d`)}
      ),
      clock as materialized (select ${clock} as now)
      insert into deployment_tasks as t (
        created_at, execute_at, due_at, cluster_id, env_id, deployment_id, acting_user_id, acting_deployment_id,
        operation, effect, requester, request_id, traceparent
      )
      select now, now, now, d.cluster_id, d.env_id, d.id, ${origin.acting_user_id}::uuid,
        ${origin.acting_deployment_id}::uuid, ${sql.jsonb(reinstallFor(reason))}, ${reinstall.effect},
        ${jsonOrNull(origin.requester)}::jsonb, ${origin.request_id}::text,
        ${currentTraceparent()}::text
      from dependents d cross join clock
      where not exists (
        select 1 from deployment_tasks p
        where p.deployment_id = d.id and p.status = 'Pending' and p.effect = 'repeats' and p.due_at <= now
      )
      returning ${publishedColumns}
    `);
    return published.inserted(rows);
  }
};
