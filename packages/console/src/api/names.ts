import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { allOf, type Listed, type Row } from './reads.ts';

interface Named {
  id: string;
}

const shortId = (id: string): string => id.slice(0, 8);

/** The rows of a short list, by id. */
function useById<R extends Listed>(resource: R) {
  const { data } = useQuery({ ...allOf(resource, {} as never), staleTime: 5 * 60_000 });
  return useMemo(() => {
    const rows = (data ?? []) as (Row<R> & Named)[];
    return new Map(rows.map((row) => [row.id, row]));
  }, [data]);
}

export const useEnvs = () => useById('envs');
export const useClusters = () => useById('k8sClusters');
export const useKinds = () => useById('deploymentKinds');
export const useUsers = () => useById('users');

/** The name of a row, or the beginning of its id until the name is known. */
export function nameIn(
  rows: ReadonlyMap<string, { name: string } | { display_name: string }>,
  id: string | null,
): string {
  if (id === null) return '';
  const row = rows.get(id);
  if (row === undefined) return shortId(id);
  return 'name' in row ? row.name : row.display_name;
}

/** The rows as choices, sorted by name. */
export const choicesIn = (rows: ReadonlyMap<string, { id: string; name: string }>): { id: string; words: string }[] =>
  [...rows.values()].map(({ id, name }) => ({ id, words: name })).sort((a, b) => a.words.localeCompare(b.words));
