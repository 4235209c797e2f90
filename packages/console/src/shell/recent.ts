const key = 'berth_recent';
const most = 8;

/** A place that was visited, by its name at that time. */
export interface Visited {
  id: string;
  /** The route, with `$id` for the id. */
  to: string;
  name: string;
}

/** What this person has looked at last, in this browser. */
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

/** Nothing of one identity is shown to the next: what somebody else has looked at is forgotten. */
export function keepRecentOf(userId: string): void {
  if (localStorage.getItem(owner) === userId) return;
  localStorage.removeItem(key);
  localStorage.setItem(owner, userId);
}
