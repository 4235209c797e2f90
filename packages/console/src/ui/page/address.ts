import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The search part of an address. Each screen reads its own keys. */
export type Search = Record<string, string | undefined> & { env?: string };

/** The search of a link that keeps everything but these keys. The router types it by route, which shared pieces do not know. */
export const searchWith = (changes: Record<string, string | undefined>) =>
  ((before: object) => ({ ...before, ...changes })) as never;

/** The search part of the address, and how to change it. It holds filters, sort and tab, so a link shows what its sender saw. */
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
