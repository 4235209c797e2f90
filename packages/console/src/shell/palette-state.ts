import { useSyncExternalStore } from 'react';

/** What the command palette shows: a search over everything, or the list of keys. */
type PaletteState = 'closed' | 'search' | 'keys';

const listeners = new Set<() => void>();
let state: PaletteState = 'closed';

/** Opens and closes the palette, from any screen. */
export const palette = {
  set(next: PaletteState): void {
    state = next;
    for (const listener of listeners) listener();
  },
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const usePalette = (): PaletteState => useSyncExternalStore(subscribe, () => state);
