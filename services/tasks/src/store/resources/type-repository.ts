import { JsonObject } from '@berth/contracts/fields/fields';
import type { RequestOutput } from '@berth/contracts/definition/contract';
import {
  DeploymentResourceType,
  type deploymentResourceTypes,
} from '@berth/contracts/resources/deployments/deployment-resource-types';
import type { Queries } from '@berth/db/database';
import { equals, inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { sql } from 'slonik';
import { z } from 'zod';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';

const columns = sql.fragment`id, created_at, env_id, deployment_kind_id, key, spec`;
const type = sql.type(DeploymentResourceType);

/** Global types are visible to all. */
const visibleTo = (visible: VisibleEnvs) =>
  visible === 'all'
    ? sql.fragment`true`
    : sql.fragment`(env_id is null or env_id = any(${sql.array([...visible], 'uuid')}))`;

/** Types in visible envs; a filter can restrict them to one env, or to those without an env. */
const listedFor = (visible: VisibleEnvs, wanted: string | null | undefined) => {
  if (wanted === undefined) return visibleTo(visible);
  return wanted === null ? sql.fragment`env_id is null` : inEnvs(sql.fragment`env_id`, visible, wanted);
};

type ListQuery = RequestOutput<typeof deploymentResourceTypes.operations.list>['query'];

const Registered = z.object({ resource_types: JsonObject.nullable(), registers: z.boolean() });

export const createTypeRepository = (db: Queries) => ({
  list: (query: ListQuery, visible: VisibleEnvs) =>
    listPage(db, {
      row: DeploymentResourceType,
      columns,
      from: sql.fragment`deployment_resource_types`,
      where: [
        listedFor(visible, query.env_id),
        equals(sql.fragment`deployment_kind_id`, query.deployment_kind_id),
        equals(sql.fragment`key`, query.key),
      ],
      request: query,
      bytes: sql.fragment`bytes + 1024`,
      sortable: { created_at: sql.fragment`created_at`, key: sql.fragment`key` },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(type`select ${columns} from deployment_resource_types where id = ${id} and ${visibleTo(visible)}`),

  /** The spec that a deployment registered for a type that it manages; null if it does not manage the type. */
  registeredSpec: (type_id: string, deployment_id: string) =>
    db.maybeOneFirst(sql.type(z.object({ spec: JsonObject }))`
      select spec from resource_type_registrations where type_id = ${type_id} and deployment_id = ${deployment_id}
    `),

  /** The types that the chart of a finished task defines, and whether the deployment has registered any so far. */
  ofChart: (helm_chart_id: string, deployment_id: string) =>
    db.maybeOne(sql.type(Registered)`
      select c.resource_types,
        exists (select from resource_type_registrations where deployment_id = ${deployment_id}) as registers
      from helm_chart_projection c where c.id = ${helm_chart_id}
    `),
});
