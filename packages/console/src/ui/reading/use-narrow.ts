import { useSyncExternalStore } from 'react';

/** As in the style sheets. */
const narrow = matchMedia('(max-width: 760px)');

const subscribe = (onChange: () => void) => {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
};

/** Whether the window is too narrow for all columns of a table. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
