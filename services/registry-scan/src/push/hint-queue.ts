/** Where to look, in which of the configured registries. */
export interface ScanHint {
  domain: string;
  repository: string;
  tag: string | null;
}

/** Places to look at, each once. Bounded: what does not fit is found by the next poll. */
export interface HintQueue {
  /** False where the queue is full. */
  add(hint: ScanHint): boolean;
  /** Up to `count` hints, oldest first; what is taken may be added again. */
  take(count: number): ScanHint[];
}

const capacity = 10_000;

export function createHintQueue(): HintQueue {
  const waiting = new Map<string, ScanHint>();
  return {
    add(hint) {
      const key = JSON.stringify([hint.domain, hint.repository, hint.tag]);
      if (!waiting.has(key) && waiting.size >= capacity) return false;
      waiting.set(key, hint);
      return true;
    },
    take(count) {
      const taken = [...waiting].slice(0, count);
      for (const [key] of taken) waiting.delete(key);
      return taken.map(([, hint]) => hint);
    },
  };
}
