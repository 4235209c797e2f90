import { useQueries } from '@tanstack/react-query';
import { pageOf, type Row } from '../../api/reads.ts';

/** As many ids as one read takes. */
const most = 100;

/** The versions of charts by id: one read for each hundred different charts. */
export function useVersions(chartIds: readonly string[]): ReadonlyMap<string, Row<'chartVersions'>> {
  const ids = [...new Set(chartIds)].sort();
  const parts = Array.from({ length: Math.ceil(ids.length / most) }, (_, part) =>
    ids.slice(part * most, (part + 1) * most).join(','),
  );
  const reads = useQueries({ queries: parts.map((part) => pageOf('chartVersions', { ids: part, per_page: most })) });
  return new Map(reads.flatMap(({ data }) => data?.items ?? []).map((version) => [version.id, version]));
}
