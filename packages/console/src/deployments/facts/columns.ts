import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { pageOf, type Row } from '../../api/reads.ts';

/** As many ids as one read takes. */
const most = 100;

const idsOf = (ids: readonly (string | null)[]): string =>
  [...new Set(ids.filter((id) => id !== null))].sort().slice(0, most).join(',');

/** The versions of the charts of these deployments, by one read. */
export function useVersions(
  rows: readonly Pick<Row<'deployments'>, 'helm_chart_id'>[],
): ReadonlyMap<string, Row<'chartVersions'>> {
  const ids = idsOf(rows.map(({ helm_chart_id }) => helm_chart_id));
  const { data } = useQuery({ ...pageOf('chartVersions', { ids, per_page: most }), enabled: ids !== '' });
  return useMemo(() => new Map(data?.items.map((version) => [version.id, version])), [data]);
}

/** The tasks that installed what runs, by one read. */
export function useRevisions(
  rows: readonly Pick<Row<'deployments'>, 'revision_id'>[],
): ReadonlyMap<string, Row<'deploymentTasks'>> {
  const ids = idsOf(rows.map(({ revision_id }) => revision_id));
  // A revision has ended, so no event changes what is shown of it.
  const { data } = useQuery({
    ...pageOf('deploymentTasks', { ids, per_page: most }),
    queryKey: ['revisions', ids],
    enabled: ids !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => new Map(data?.items.map((task) => [task.id, task])), [data]);
}
