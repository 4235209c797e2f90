import { Id, JsonObject } from '@berth/contracts/fields/fields';
import type { RequestOutput } from '@berth/contracts/definition/contract';
import {
  DeploymentResource,
  type deploymentResources,
} from '@berth/contracts/resources/deployments/deployment-resources';
import type { Queries } from '@berth/db/database';
import { equals, inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { ResourceRecord } from '../../records/resource-record.ts';
import { WrappedKey } from '../../records/secret-record.ts';
import { keyIdsIn } from '../secrets/key-ids-in.ts';
import { obstacle, pending } from './call-obstacle.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';

const from = sql.fragment`
  deployment_resources r
  join deployment_resource_types t on t.id = r.type_id
  left join deployments m on m.id = r.deployment_id`;

/** The inputs that are hidden in the env of the resource. */
const sensitive = sql.fragment`
  coalesce(
    (select s.names from resource_type_sensitive s where s.type_id = r.type_id and s.env_id = r.env_id), t.sensitive
  )`;

/** The columns that answers may contain. */
const columns = sql.fragment`
  r.id, r.created_at, r.type_id, r.deployment_id, r.name, r.is_live as "exists", r.props - ${sensitive} as props,
  r.revision, r.sync_status, case when ${pending} then coalesce(${obstacle}, r.sync_reason) else r.sync_reason end as sync_reason`;

export const recordColumns = sql.fragment`
  r.id, r.created_at, r.type_id, r.env_id, r.deployment_id, r.name, r.is_live, r.props, r.sealed_names, r.key_id,
  r.wrapped_key, r.sealed_props, r.sync_status, r.sync_reason, r.known, r.attempts, r.fence, r.is_outdated, r.is_slow,
  r.origin, r.revision, ${sensitive} as sensitive`;

const resource = sql.type(DeploymentResource);
const record = sql.type(ResourceRecord);
const wrapped = sql.type(z.object({ id: Id, type_id: Id, ...WrappedKey.shape }));

const Item = z.object({ id: Id, name: z.string(), props: JsonObject, key: z.string(), kind: z.string() });

type ListQuery = RequestOutput<typeof deploymentResources.operations.list>['query'];

export const createResourceRepository = (db: Queries) => {
  const items = (env_id: string, ids: readonly string[], lock: FragmentSqlToken) =>
    db.any(sql.type(Item)`
      select r.id, r.name, r.props - ${sensitive} as props, t.key, coalesce(k.name, '') as kind
      from deployment_resources r
      join deployment_resource_types t on t.id = r.type_id
      left join deployment_kind_projection k on k.id = t.deployment_kind_id
      where r.id = any(${sql.array([...ids], 'uuid')}) and r.env_id = ${env_id}
        and r.is_live and r.sync_status <> 'Deleting'
      order by r.id ${lock}
    `);

  return {
    list: (query: ListQuery, visible: VisibleEnvs) =>
      listPage(db, {
        row: DeploymentResource,
        columns,
        from,
        counted: sql.fragment`deployment_resources r`,
        where: [
          sql.fragment`r.is_live`,
          inEnvs(sql.fragment`r.env_id`, visible, query.env_id),
          equals(sql.fragment`r.type_id`, query.type_id),
          equals(sql.fragment`r.deployment_id`, query.deployment_id),
        ],
        request: query,
        newestBy: sql.fragment`r.created_at`,
        id: sql.fragment`r.id`,
        bytes: sql.fragment`r.bytes + 4096 + 6 * coalesce(octet_length(r.sync_reason), 0)`,
        sortable: {
          created_at: sql.fragment`r.created_at`,
          name: sql.fragment`r.name`,
          sync_status: sql.fragment`r.sync_status`,
        },
      }),

    /** Also finds a deleted resource until its row is removed. */
    find: (id: string, visible: VisibleEnvs) =>
      db.maybeOne(resource`
        select ${columns} from ${from}
        where ${sql.and([sql.fragment`r.id = ${id}`, inEnvs(sql.fragment`r.env_id`, visible)])}
      `),

    /** The row, locked against changes until the transaction ends. Deployments can still begin to refer to it. */
    lock: (id: string) =>
      db.maybeOne(record`
        select ${recordColumns} from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.id = ${id} for no key update of r
      `),

    /** The same, but no deployment can begin to refer to it, either. */
    lockToDelete: (id: string) =>
      db.maybeOne(record`
        select ${recordColumns} from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.id = ${id} for update of r
      `),

    /** For a task whose start is committed. Waits for changes under way, as for secrets. */
    items: (env_id: string, ids: readonly string[]) => items(env_id, ids, sql.fragment`for share of r`),

    /** The same, locked so that none of them is deleted before the transaction ends. */
    heldItems: (env_id: string, ids: readonly string[]) => items(env_id, ids, sql.fragment`for key share of r`),

    /** The total size of sealed props, in bytes. */
    sealedBytes: (env_id: string, ids: readonly string[]) =>
      db.oneFirst(sql.type(z.object({ bytes: z.number().int() }))`
        select coalesce(sum(octet_length(sealed_props)), 0)::bigint as bytes from deployment_resources
        where id = any(${sql.array([...ids], 'uuid')}) and env_id = ${env_id}
      `),

    records: (env_id: string, ids: readonly string[]) =>
      db.any(record`
        select ${recordColumns} from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.id = any(${sql.array([...ids], 'uuid')}) and r.env_id = ${env_id} and r.is_live
        order by r.id
      `),

    countOf: (deployment_id: string) =>
      db.oneFirst(sql.type(z.object({ n: z.number().int() }))`
        select count(*) as n from deployment_resources where deployment_id = ${deployment_id} and is_live
      `),

    /** For messages: the resources that a deployment manages. */
    managedBy: (deployment_id: string) =>
      db.anyFirst(sql.type(z.object({ name: z.string() }))`
        select t.key || '/' || r.name as name
        from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.deployment_id = ${deployment_id} and r.is_live order by 1 limit 10
      `),

    keyIds: () => keyIdsIn(db, 'deployment_resources'),

    /** Rows whose wrapped key is to be replaced, ordered by id; skips locked rows. */
    lockWrapped: (key_id: string, after: string, most: number) =>
      db.any(wrapped`
        select id, type_id, key_id, wrapped_key from deployment_resources
        where key_id = ${key_id} and id > ${after}
        order by id limit ${most} for no key update skip locked
      `),

    inEnv: async (env_id: string) => {
      const rows = await db.any(sql.type(z.object({ name: z.string(), total: z.number().int() }))`
        select t.key || '/' || r.name as name, count(*) over () as total
        from deployment_resources r join deployment_resource_types t on t.id = r.type_id
        where r.env_id = ${env_id} and r.is_live order by 1 limit 10
      `);
      return { count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
    },
  };
};
export type ResourceRepository = ReturnType<typeof createResourceRepository>;
