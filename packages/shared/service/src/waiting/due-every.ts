export interface Schedule {
  /** True once per period; the next one counts from then. */
  due(): boolean;
  /** How long it has been due. */
  overdueMs(): number;
  /** Makes it due. */
  now(): void;
}

/** For a loop that has several things to do, each in its own time. */
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
