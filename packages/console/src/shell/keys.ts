import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { palette } from './palette-state.ts';

/** The places that `g` and a letter lead to. */
export const places: Readonly<Record<string, { to: string; words: string }>> = {
  h: { to: '/', words: 'Home' },
  d: { to: '/deployments', words: 'Deployments' },
  t: { to: '/tasks', words: 'Tasks' },
  c: { to: '/charts', words: 'Charts' },
  k: { to: '/clusters', words: 'Clusters' },
  e: { to: '/envs', words: 'Envs' },
};

const withinMs = 1_500;

/** The keys that work on every screen. In a text input, only those with Ctrl or ⌘ do. */
export function useKeys(): void {
  const navigate = useNavigate();

  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        palette.set('search');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = event.timeStamp < goUntil ? places[event.key] : undefined;
      goUntil = event.key === 'g' ? event.timeStamp + withinMs : 0;
      if (place) {
        event.preventDefault();
        void navigate({ to: place.to });
      } else if (event.key === '/') focusOn(event, '[data-key="filter"] input');
      else if (event.key === 'j' || event.key === 'k') moveToRow(event, event.key === 'j' ? 1 : -1);
      else if (event.key === '?') palette.set('keys');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.shadowRoot !== null);

function focusOn(event: KeyboardEvent, selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return;
  event.preventDefault();
  found.focus();
}

/** Moves the focus to another row. Rows are links, so `Enter` opens the one that has the focus. */
function moveToRow(event: KeyboardEvent, by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
  if (rows.length === 0) return;
  event.preventDefault();
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}
