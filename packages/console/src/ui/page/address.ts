import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** What an address says beside its path. Each screen reads its own part. */
export type Search = Record<string, string | undefined> & { env?: string };

/** What the address says beside its path, and how to change it. Filters, sort and tab live there, so that a link shows the same. */
export function useAddress(): [Search, (changes: Record<string, string | null | undefined>) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | null | undefined>) => {
      const next = Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value ?? undefined]));
      void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace: true });
    },
    [navigate],
  );
  return [search, change];
}
