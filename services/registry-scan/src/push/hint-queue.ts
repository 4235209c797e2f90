/** A tag or repository to scan. */
export interface ScanHint {
  /** The key of its registry. */
  key: string;
  repository: string;
  tag: string | null;
  /** The digest that the tag should have; null if unknown. */
  digest: string | null;
  /** Attempt number, from 1. */
  attempt: number;
}

/** Hints, at most one for each tag or repository. Bounded: the next poll finds what did not fit. */
export interface HintQueue {
  /** Returns false if the queue is full. A newer hint for the same tag replaces the older one and never delays it. */
  add(hint: ScanHint, afterMs?: number): boolean;
  /** Removes and returns up to `count` due hints. */
  take(count: number): ScanHint[];
  /** Time until the next hint is due: 0 if one is, infinite if the queue is empty. */
  nextInMs(): number;
}

const capacity = 10_000;

export function createHintQueue(now: () => number = () => performance.now()): HintQueue {
  const waiting = new Map<string, { hint: ScanHint; due: number }>();

  return {
    add(hint, afterMs = 0) {
      const name = JSON.stringify([hint.key, hint.repository, hint.tag]);
      if (!waiting.has(name) && waiting.size >= capacity) return false;
      const due = Math.min(waiting.get(name)?.due ?? Number.POSITIVE_INFINITY, now() + afterMs);
      waiting.set(name, { hint, due });
      return true;
    },

    take(count) {
      const taken = [...waiting].filter(([, { due }]) => due <= now()).slice(0, count);
      for (const [key] of taken) waiting.delete(key);
      return taken.map(([, { hint }]) => hint);
    },

    nextInMs: () => Math.max(0, Math.min(...[...waiting.values()].map(({ due }) => due)) - now()),
  };
}
