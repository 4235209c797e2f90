import { useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components/Button';
import { Icon } from '../icons.tsx';

interface Toast {
  id: number;
  words: string;
  action?: { words: string; onAction: () => void };
}

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();
const most = 3;
const shownMs = 8_000;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const remove = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Reports in one line what was done, with a way to undo it or to see it. */
export function say(words: string, action?: Toast['action']): void {
  count += 1;
  const id = count;
  set([...toasts, { id, words, ...(action && { action }) }].slice(-most));
  setTimeout(() => remove(id), shownMs);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-label="Messages">
      {shown.map(({ id, words, action }) => (
        <div key={id} className="toast">
          <span>{words}</span>
          {action && (
            <Button
              className="button small"
              onPress={() => {
                remove(id);
                action.onAction();
              }}
            >
              {action.words}
            </Button>
          )}
          <Button className="button bare small" aria-label="Dismiss" onPress={() => remove(id)}>
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
