import { useQuery } from '@tanstack/react-query';
import { allOf, type Listed, type Row } from './reads.ts';

interface Named {
  id: string;
}

const shortId = (id: string): string => id.slice(0, 8);

/** The rows of a short list by id, and how to call one that is not among them. */
function useById<R extends Listed>(resource: R) {
  const { data } = useQuery({ ...allOf(resource, {} as never), staleTime: 5 * 60_000 });
  const rows = (data ?? []) as (Row<R> & Named)[];
  return new Map(rows.map((row) => [row.id, row]));
}

export const useEnvs = () => useById('envs');
export const useClusters = () => useById('k8sClusters');
export const useKinds = () => useById('deploymentKinds');
export const useUsers = () => useById('users');

/** The name of a row, or the beginning of its id while it is not known. */
export const nameIn = <T extends { name: string }>(rows: ReadonlyMap<string, T>, id: string | null): string =>
  id === null ? '' : (rows.get(id)?.name ?? shortId(id));
