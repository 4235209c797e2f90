/** The key that the interface specification names, where other clients in the browser find the session. */
const key = 'access_token';

export interface Session {
  token: string | null;
  /** Why the session ended, in words for the user. */
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

  /** Reads the stored session, and follows what other tabs store. */
  follow(): void {
    // The development server calls the platform with its own token, whatever the page sends.
    if (import.meta.env.DEV && localStorage.getItem(key) === null) localStorage.setItem(key, 'development');
    set({ token: localStorage.getItem(key), ended: null });
    addEventListener('storage', (change) => {
      if (change.key !== key && change.key !== null) return;
      const token = localStorage.getItem(key);
      if (token !== session.token) set({ token, ended: token === null ? 'You signed out in another tab.' : null });
    });
  },
};
