import type { Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import type { Canceler } from '../../records/canceler.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { clock, type PublishedTask, publishedColumns, publishedTask, publishedTasks } from './published-tasks.ts';

/** Changes of many open tasks, under the locks of their deployments. Each change is published in its transaction. */
export const createQueueChanges = (tx: Transaction) => {
  const published = publishedTasks(tx);

  return {
    /** An earlier claim of them may have ended before Helm began, so nothing of their runs is installed. */
    cancelPending: async (ids: readonly string[], by: Canceler): Promise<readonly PublishedTask[]> => {
      const canceled = await tx
        .any(publishedTask`
          update deployment_tasks t set
            status = 'Canceled', reason = ${by.reason}, finished_at = ${clock},
            canceled_by_user_id = ${by.user_id}::uuid, canceled_by_deployment_id = ${by.deployment_id}::uuid
          where t.id = any(${sql.array([...ids], 'uuid')}) and t.status = 'Pending'
          returning ${publishedColumns}
        `)
        .then(published.updated);
      const whole = canceled.map(({ id }) => id);
      await tx.query(statement`
        delete from installed_runs i using deployment_tasks t
        where t.id = any(${sql.array(whole, 'uuid')}) and t.helm_fence = 0
          and i.deployment_id = t.deployment_id and i.task_id = t.id
      `);
      return canceled;
    },

    /**
     * Pending tasks follow their deployment to its new place: they are visible there and wait for that cluster. Tasks with a
     * fixed place do not, and removals go where the release is.
     */
    movePending: ({ id, cluster_id, env_id, installed_cluster_id }: DeploymentRecord) =>
      tx
        .any(publishedTask`
          update deployment_tasks t set
            cluster_id = case
              when t.effect = 'removes' and t.change is null then ${installed_cluster_id ?? cluster_id}::uuid
              else ${cluster_id}::uuid
            end,
            env_id = ${env_id}
          where t.deployment_id = ${id} and t.status = 'Pending' and t.run is null and t.effect <> 'moves'
          returning ${publishedColumns}
        `)
        .then(published.updated),

    /** Open tasks move to the env of their deployment; finished tasks keep theirs. */
    followEnv: (deployment_ids: readonly string[], env_id: string) =>
      tx
        .any(publishedTask`
          update deployment_tasks t set env_id = ${env_id}
          where t.deployment_id = any(${sql.array([...deployment_ids], 'uuid')})
            and t.status in ('Pending', 'Started') and t.env_id <> ${env_id}
          returning ${publishedColumns}
        `)
        .then(published.updated),

    /** Postpones all due tasks whose requester has to be checked; locked tasks are left to the next time. */
    postponeChecks: async (reason: string, pauseMs: number): Promise<void> => {
      await tx.query(statement`
        update deployment_tasks t set
          reason = ${reason}, due_at = ${clock} + ${pauseMs} * interval '1 millisecond'
        from (
          select id from deployment_tasks
          where status = 'Pending' and checks_requester and due_at <= clock_timestamp()
          for update skip locked
        ) due
        where t.id = due.id
      `);
    },
  };
};
