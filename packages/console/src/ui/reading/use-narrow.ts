import { useCallback, useSyncExternalStore } from 'react';

/** The widths at which the style sheets change the layout too. */
const narrow = matchMedia('(max-width: 760px)');
const wide = matchMedia('(min-width: 1181px)');

function useMatch(query: MediaQueryList): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => query.matches);
}

/** Whether the window is too narrow for a row of a table on one line. */
export const useNarrow = (): boolean => useMatch(narrow);

/** Whether the window has room for all columns of a table. */
export const useWide = (): boolean => useMatch(wide);
