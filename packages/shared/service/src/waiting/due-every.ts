export interface Schedule {
  /** True once per period; the next period starts then. */
  due(): boolean;
  /** For how long it has been due. */
  overdueMs(): number;
  /** Makes it due. */
  now(): void;
}

/** For a loop with several tasks, each with a period of its own. */
export function dueEvery(ms: number, { firstAfterMs = ms }: { firstAfterMs?: number } = {}): Schedule {
  let next = performance.now() + firstAfterMs;
  return {
    due() {
      if (performance.now() < next) return false;
      next = performance.now() + ms;
      return true;
    },
    overdueMs: () => performance.now() - next,
    now() {
      next = 0;
    },
  };
}
