/** Where to look, in which of the configured registries. */
export interface ScanHint {
  domain: string;
  repository: string;
  tag: string | null;
  /** What should be seen there; null where that is not known. */
  digest: string | null;
  /** The how-manieth look it is, from 1. */
  attempt: number;
}

/** Places to look at, each once. Bounded: what does not fit is found by the next poll. */
export interface HintQueue {
  /** False where the queue is full. A place that waits already is looked at as the newer hint says, and no later. */
  add(hint: ScanHint, afterMs?: number): boolean;
  /** Up to `count` hints that are due; what is taken may be added again. */
  take(count: number): ScanHint[];
  /** How long until one is due; 0 where one is, infinite where nothing waits. */
  nextInMs(): number;
}

const capacity = 10_000;

export function createHintQueue(now: () => number = () => performance.now()): HintQueue {
  const waiting = new Map<string, { hint: ScanHint; due: number }>();

  return {
    add(hint, afterMs = 0) {
      const key = JSON.stringify([hint.domain, hint.repository, hint.tag]);
      if (!waiting.has(key) && waiting.size >= capacity) return false;
      const due = Math.min(waiting.get(key)?.due ?? Number.POSITIVE_INFINITY, now() + afterMs);
      waiting.set(key, { hint, due });
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
