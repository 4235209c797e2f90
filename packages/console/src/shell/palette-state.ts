import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isOpen = false;

/** Whether the command palette is open. It is opened from every screen, and by a key. */
export const palette = {
  set(next: boolean): void {
    isOpen = next;
    for (const listener of listeners) listener();
  },
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const usePaletteOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen);
