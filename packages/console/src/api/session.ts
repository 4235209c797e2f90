/** Named by the interface specification: other clients in the browser find the session there. */
const key = 'access_token';

export interface Session {
  token: string | null;
  /** Why the session ended, for the person who had it. */
  ended: string | null;
}

const listeners = new Set<() => void>();
let session: Session = { token: null, ended: null };

function set(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

/** The session of this browser, which other tabs may start and end. */
export const sessions = {
  current: (): Session => session,

  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },

  start(token: string): void {
    localStorage.setItem(key, token);
    set({ token, ended: null });
  },

  end(ended: string | null = null): void {
    localStorage.removeItem(key);
    set({ token: null, ended });
  },

  /** Reads what is stored, and follows what other tabs store. */
  follow(): void {
    // The development server calls the platform with a token of its own, whatever the page sends.
    if (import.meta.env.DEV && localStorage.getItem(key) === null) localStorage.setItem(key, 'development');
    set({ token: localStorage.getItem(key), ended: null });
    addEventListener('storage', (change) => {
      if (change.key !== key && change.key !== null) return;
      const token = localStorage.getItem(key);
      if (token !== session.token) set({ token, ended: token === null ? 'You signed out in another tab.' : null });
    });
  },
};
