import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { RequestOutput } from '@berth/contracts/definition/contract';
import type { deployments } from '@berth/contracts/resources/deployments/deployments';
import { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { Queries } from '@berth/db/database';
import { type Condition, containsInLowerCase, equals, inEnvs, isOneOf } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { DeploymentRecord } from '../../records/deployment-record.ts';
import { idsOfUsers, usedItems } from './reference-repository.ts';
import { numberOfDeployments } from '../counts/count-repository.ts';
import { shownHealth, shownReason } from './shown-reason.ts';

const smallColumns = sql.fragment`
  id, created_at, name, kind_id, env_id, cluster_id, namespace, enabled, status, revision_id, reported_status, helm_chart_id`;
export const publishedColumns = sql.fragment`${smallColumns}, ${shownReason} as reason`;
const otherColumns = sql.fragment`${shownHealth} as health, description_md, config, values_override`;
const columns = sql.fragment`${publishedColumns}, ${otherColumns}`;

/** Also the columns that the engine needs; `reason` is the one that tasks set. */
export const recordColumns = sql.fragment`
  ${smallColumns}, reason, ${shownReason} as shown_reason, ${otherColumns}, state, deleting, installed_cluster_id,
  installed_namespace`;

const deployment = sql.type(Deployment);
const record = sql.type(DeploymentRecord);
const Named = z.object({ name: z.string(), namespace: z.string() });

/** In the words of the partial indexes: Postgres uses them only for the same expression. */
const needsAttention = sql.fragment`(status = 'Error' or (enabled and health_state in ('Degraded', 'Unknown')))`;

const ofAttention = (wanted: boolean | undefined): Condition => {
  if (wanted === undefined) return undefined;
  return wanted ? needsAttention : sql.fragment`${needsAttention} is not true`;
};

/** All deployments of envs, or those among them that do not need attention: the others are few, so they are counted and subtracted. */
function totalOfEnvs(ofEnv: Condition, needs_attention: boolean | undefined): FragmentSqlToken | undefined {
  if (needs_attention === true) return undefined;
  const all = numberOfDeployments([ofEnv]);
  if (needs_attention === undefined) return all;
  return sql.fragment`select (${all}) - (select count(*) from deployments where ${sql.and([ofEnv, needsAttention])})`;
}

type ListQuery = RequestOutput<typeof deployments.operations.list>['query'];

export const createDeploymentRepository = (db: Queries) => ({
  list: (query: ListQuery, visible: VisibleEnvs) => {
    const ofEnv = inEnvs(sql.fragment`env_id`, visible, query.env_id);
    const others = [
      isOneOf(sql.fragment`id`, query.ids),
      containsInLowerCase(sql.fragment`name`, query.name),
      equals(sql.fragment`kind_id`, query.kind_id),
      equals(sql.fragment`cluster_id`, query.cluster_id),
      equals(sql.fragment`helm_chart_id`, query.helm_chart_id),
      query.uses === undefined ? undefined : sql.fragment`id = any(${idsOfUsers(query.uses)})`,
      equals(sql.fragment`enabled`, query.enabled),
      equals(sql.fragment`status`, query.status),
      equals(sql.fragment`health_state`, query.health),
    ];
    return listPage(db, {
      row: Deployment,
      columns,
      from: sql.fragment`deployments`,
      where: [ofEnv, ...others, ofAttention(query.needs_attention)],
      numTotal: others.every((other) => other === undefined) ? totalOfEnvs(ofEnv, query.needs_attention) : undefined,
      request: query,
      // Besides inputs and description: ids, times, names, reasons, the reported status and the health.
      bytes: sql.fragment`bytes + 12288 + 6 * coalesce(octet_length(reason), 0) + coalesce(octet_length(reported_status::text), 0)
        + coalesce(octet_length(health::text), 0)`,
      sortable: {
        created_at: sql.fragment`created_at`,
        name: sql.fragment`name`,
        status: sql.fragment`status`,
        enabled: sql.fragment`enabled`,
        health: sql.fragment`health_state`,
      },
    });
  },

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(deployment`
      select ${columns} from deployments
      where ${sql.and([sql.fragment`id = ${id}`, inEnvs(sql.fragment`env_id`, visible)])}
    `),

  record: (id: string) => db.maybeOne(record`select ${recordColumns} from deployments where id = ${id}`),

  /** The row, locked until the transaction ends; its tasks change only under this lock. */
  lock: (id: string) => db.maybeOne(record`select ${recordColumns} from deployments where id = ${id} for update`),

  /** The same, or null if somebody else holds the lock. */
  lockIfFree: (id: string) =>
    db.maybeOne(record`select ${recordColumns} from deployments where id = ${id} for update skip locked`),

  /**
   * A weaker lock, for changes by the platform. These change neither the name nor whether others may refer to the deployment, so
   * requests that refer to it need not wait. With the full lock, a request and the end of a task could deadlock.
   */
  hold: (id: string) =>
    db.maybeOne(record`select ${recordColumns} from deployments where id = ${id} for no key update`),

  /** Locks the task's deployment and those that it may reinstall, by id: all transactions use this order. */
  holdWithDependents: async (task_id: string) => {
    await db.query(sql.type(z.object({ id: z.string() }))`
      select d.id from deployment_tasks t, deployments d
      where t.id = ${task_id} and (
        d.id = t.deployment_id
        or t.reinstall_dependents and d.enabled and not d.deleting and d.id in (
          select r.deployment_id from ${usedItems} r
          where r.collection = 'deployments' and r.item_id = t.deployment_id
        )
      )
      order by d.id for no key update of d
    `);
  },

  /** Other deployments in this namespace, or with a release that was left behind there. */
  occupantOf: (place: { cluster_id: string; namespace: string }, except: string | null) =>
    db.maybeOne(sql.type(Named)`
      select name, namespace from deployments
      where (
        (cluster_id = ${place.cluster_id} and namespace = ${place.namespace})
        or (installed_cluster_id = ${place.cluster_id} and installed_namespace = ${place.namespace})
      ) and id is distinct from ${except}
      limit 1
    `),

  /** Another deployment of the kind on the cluster. */
  siblingOn: (cluster_id: string, kind_id: string, except: string | null) =>
    db.maybeOne(sql.type(Named)`
      select name, namespace from deployments
      where cluster_id = ${cluster_id} and kind_id = ${kind_id} and id is distinct from ${except}
      limit 1
    `),

  onCluster: async (cluster_id: string) => {
    const names = await db.any(sql.type(z.object({ namespace: z.string(), total: z.number().int() }))`
      select namespace, count(*) over () as total from deployments
      where cluster_id = ${cluster_id} or installed_cluster_id = ${cluster_id}
      order by namespace limit 10
    `);
    return { count: names[0]?.total ?? 0, names: names.map(({ namespace }) => namespace) };
  },
});
export type DeploymentRepository = ReturnType<typeof createDeploymentRepository>;
