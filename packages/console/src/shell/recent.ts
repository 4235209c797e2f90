const key = 'berth_recent';
const most = 8;

/** A screen that was visited, with its name at that time. */
export interface Visited {
  id: string;
  /** The route, with `$id` for the id. */
  to: string;
  name: string;
}

/** What the viewer visited last, in this browser. */
export function recent(): Visited[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.slice(0, most) : [];
  } catch {
    return [];
  }
}

export function remember(place: Visited): void {
  localStorage.setItem(key, JSON.stringify([place, ...recent().filter(({ id }) => id !== place.id)].slice(0, most)));
}

const owner = 'berth_recent_of';

/** Forgets what another user visited: nothing of one identity is shown to the next. */
export function keepRecentOf(userId: string): void {
  if (localStorage.getItem(owner) === userId) return;
  localStorage.removeItem(key);
  localStorage.setItem(owner, userId);
}
