import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { RequestOutput } from '@berth/contracts/definition/contract';
import { ImpactedDeployment } from '@berth/contracts/resources/deployments/impact';
import type { secrets } from '@berth/contracts/resources/deployments/secrets';
import type { Queries } from '@berth/db/database';
import { inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { type FragmentSqlToken, sql } from 'slonik';
import { usedItems } from './reference-repository.ts';

/** The deployments that refer to an item, by what they want or by what may be installed. */
export const refersTo = ({ collection, id }: { collection: string; id: string }) => sql.fragment`id in (
  select deployment_id from ${usedItems} used where collection = ${collection} and item_id = ${id}
)`;

export const liesIn = (env_id: string) => sql.fragment`env_id = ${env_id}`;

/**
 * The deployments that a change of something that they use reinstalls. Those that are not installed yet are left out: their first
 * task reads the new state anyway.
 */
export const isReinstalled = (d: FragmentSqlToken) => sql.fragment`
  ${d}.enabled and not ${d}.deleting and (
    ${d}.revision_id is not null
    or exists (select 1 from deployment_tasks s where s.deployment_id = ${d}.id and s.status = 'Started')
  )`;

type ImpactQuery = RequestOutput<typeof secrets.operations.impact>['query'];

/** What a change would reinstall, by the conditions of the reinstallation itself. */
export const createImpactRepository = (db: Queries) => ({
  /** `which`: those that use what changes. */
  list: (which: FragmentSqlToken, request: ImpactQuery, visible: VisibleEnvs) =>
    listPage(db, {
      row: ImpactedDeployment,
      columns: sql.fragment`id, created_at, name, kind_id, env_id, cluster_id, namespace, status`,
      from: sql.fragment`deployments d`,
      where: [which, isReinstalled(sql.fragment`d`), inEnvs(sql.fragment`env_id`, visible)],
      request,
      sortable: { created_at: sql.fragment`created_at`, name: sql.fragment`name` },
    }),
});
