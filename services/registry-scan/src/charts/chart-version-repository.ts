import type { RequestOutput } from '@berth/contracts/definition/contract';
import { ChartVersion, type chartVersions, mostNewer } from '@berth/contracts/resources/charts/chart-versions';
import type { Queries } from '@berth/db/database';
import { type Condition, equals, isOneOf } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { type FragmentSqlToken, sql } from 'slonik';

/** Later charts that can be deployed, of the registry of a row of `page`: counted by an index, and no further than the limit. */
const numberOfNewer = (ofSameBranch: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
  select count(*) from (
    select from helm_charts n
    where n.helm_registry_id = page.helm_registry_id and ${ofSameBranch} and n.available and n.error is null
      and n.created_at > page.created_at
    limit ${mostNewer}
  ) newer_charts
)`;

// Postgres uses an index for each of the two comparisons, but not for `is not distinct from`, which is both.
const newer = sql.fragment`case when page.parsed_branch is null
  then ${numberOfNewer(sql.fragment`n.parsed_branch is null`)}
  else ${numberOfNewer(sql.fragment`n.parsed_branch = page.parsed_branch`)}
end`;

const columns = sql.fragment`
  c.id, c.created_at, c.helm_registry_id, r.kind_id, c.image_tag, c.image_digest, c.available,
  c.error is not null as has_error, c.parsed_version, c.parsed_branch, c.parsed_commit
`;

/** Without the join, so that charts can be counted without it. */
const ofKind = (kindId: string | undefined): Condition =>
  kindId === undefined
    ? undefined
    : sql.fragment`c.helm_registry_id in (select k.id from helm_registries k where k.kind_id = ${kindId})`;

type ListQuery = RequestOutput<typeof chartVersions.operations.list>['query'];

export const createChartVersionRepository = (db: Queries) => ({
  list: (query: ListQuery) =>
    listPage(db, {
      row: ChartVersion,
      columns,
      columnsOfPage: sql.fragment`${newer} as newer`,
      from: sql.fragment`helm_charts c join helm_registries r on r.id = c.helm_registry_id`,
      counted: sql.fragment`helm_charts c`,
      where: [
        isOneOf(sql.fragment`c.id`, query.ids),
        equals(sql.fragment`c.helm_registry_id`, query.helm_registry_id),
        ofKind(query.kind_id),
        equals(sql.fragment`c.parsed_branch`, query.parsed_branch),
        equals(sql.fragment`c.available`, query.available),
      ],
      request: query,
      newestBy: sql.fragment`c.created_at`,
      id: sql.fragment`c.id`,
      sortable: { created_at: sql.fragment`c.created_at` },
    }),
});
export type ChartVersionRepository = ReturnType<typeof createChartVersionRepository>;
