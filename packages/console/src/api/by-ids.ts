import { useQuery } from '@tanstack/react-query';
import { pageOf } from './reads.ts';

/** As many ids as one read takes. */
const most = 100;

type Given = readonly (string | null | undefined)[];

const asked = (ids: Given) => ({
  ids: [...new Set(ids.filter((id) => typeof id === 'string'))]
    .toSorted((a, b) => a.localeCompare(b))
    .slice(0, most)
    .join(','),
  per_page: most,
});

const byId = <T extends { id: string }>(data: { items: T[] } | undefined): ReadonlyMap<string, T> =>
  new Map(data?.items.map((row) => [row.id, row]));

/** Deployments by their ids, with one read for all of them. */
export function useDeployments(ids: Given) {
  const query = asked(ids);
  return byId(useQuery({ ...pageOf('deployments', query), enabled: query.ids !== '' }).data);
}

/** The versions of charts by their ids, with one read for all of them. */
export function useVersionsOf(chartIds: Given) {
  const query = asked(chartIds);
  return byId(useQuery({ ...pageOf('chartVersions', query), enabled: query.ids !== '' }).data);
}
