import { Id } from '@berth/contracts/fields/fields';
import type { Queries } from '@berth/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/**
 * The items to which deployments refer, by their current inputs and by the runs whose objects may be in the cluster: such a run may be
 * installed again as it is.
 */
export const usedItems = sql.fragment`(
  select deployment_id, collection, item_id from deployment_references
  union all
  select deployment_id, collection, item_id from installed_references
)`;

const pointsTo = (id: string) => sql.fragment`(
  (r.collection = 'deployments' and r.item_id = ${id})
  or (r.collection = 'deployment_resources' and r.item_id in (
    select id from deployment_resources where deployment_id = ${id} and is_live
  ))
)`;

/** An array, so that the few rows are found by their ids however many deployments there are. */
export const idsOfUsers = (id: string) =>
  sql.fragment`array(select r.deployment_id from ${usedItems} r where ${pointsTo(id)})`;

const usersOf = (id: string) => sql.fragment`(
  select d.id, d.namespace, d.env_id
  from ${usedItems} r join deployments d on d.id = r.deployment_id
  where d.enabled and not d.deleting and ${pointsTo(id)}
)`;

/** The deployments to which one refers, or whose resources it uses. */
const usedBy = (id: FragmentSqlToken) => sql.fragment`(
  select r.item_id as deployment_id from ${usedItems} r where r.deployment_id = ${id} and r.collection = 'deployments'
  union all
  select m.deployment_id from ${usedItems} r join deployment_resources m on m.id = r.item_id
  where r.deployment_id = ${id} and r.collection = 'deployment_resources' and m.deployment_id is not null
)`;

const User = z.object({ id: Id, namespace: z.string(), env_id: Id });

export const createReferenceRepository = (db: Queries) => ({
  /** Enabled deployments whose inputs point to the item; the first ten, since a message names no more. */
  enabledDependentsOf: (collection: string, item_id: string) =>
    db.any(sql.type(User)`
      select distinct d.id, d.namespace, d.env_id
      from ${usedItems} r join deployments d on d.id = r.deployment_id
      where r.collection = ${collection} and r.item_id = ${item_id} and d.enabled and not d.deleting
      order by d.namespace
      limit 10
    `),

  /** Enabled, installed deployments whose inputs point to the item: a change of the item reinstalls them. */
  reinstalledAfter: (collection: string, item_id: string) =>
    db.any(sql.type(User)`
      select distinct d.id, d.namespace, d.env_id
      from ${usedItems} r join deployments d on d.id = r.deployment_id
      where r.collection = ${collection} and r.item_id = ${item_id} and d.enabled and not d.deleting
        and (
          d.revision_id is not null
          or exists (select 1 from deployment_tasks s where s.deployment_id = d.id and s.status = 'Started')
        )
      order by d.namespace
      limit 1000
    `),

  /** Enabled deployments whose inputs point to the deployment, or to a resource that it manages. */
  enabledDependentsOfDeployment: (id: string) =>
    db.any(sql.type(User)`
      select distinct d.id, d.namespace, d.env_id from ${usersOf(id)} d order by d.namespace limit 10
    `),

  /** Without those that the deployment itself uses, directly or through others: otherwise the two would block each other for ever. */
  enabledDependentsOutsideCircle: (id: string) =>
    db.any(sql.type(User)`
      with recursive used as (
        select ${id}::uuid as id
        union
        select i.deployment_id from used u, lateral ${usedBy(sql.fragment`u.id`)} i
      )
      select distinct d.id, d.namespace, d.env_id from ${usersOf(id)} d
      where not exists (select from used u where u.id = d.id)
      order by d.namespace limit 10
    `),
});
