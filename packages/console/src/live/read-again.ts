import type { Query, QueryClient } from '@tanstack/react-query';

/** Changes within this time after a read share one read, so a busy platform costs a few reads per second. */
const gatherMs = 250;

/**
 * A change waits this long for a read that still runs. If each change restarted the read, nothing would be shown while changes come
 * faster than answers. It waits no longer, so that one slow read does not hold back the others of its table.
 */
const patienceMs = 1_000;

export interface LastRead {
  startedAt: number;
  isRunning: boolean;
}

/** How long to wait after a change before its table is read again. */
export const waitBeforeRead = (last: LastRead | undefined, now: number): number =>
  last === undefined ? 0 : Math.max(0, last.startedAt + (last.isRunning ? patienceMs : gatherMs) - now);

/** Tells `readAgain` that everything may have changed. */
export const everything = '';

/** Reads a table again after a change: at once after a quiet time, and once for changes that follow shortly. */
export function readAgain(queries: Pick<QueryClient, 'invalidateQueries' | 'getQueryCache'>) {
  const lastReads = new Map<string, LastRead>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let isStopped = false;

  const changed = (table: string): void => {
    if (isStopped || timers.has(table)) return;
    const wait = waitBeforeRead(lastReads.get(table), Date.now());
    if (wait === 0) void read(table);
    else
      timers.set(
        table,
        setTimeout(() => void read(table), wait),
      );
  };

  async function read(table: string): Promise<void> {
    timers.delete(table);
    const last = { startedAt: Date.now(), isRunning: true };
    lastReads.set(table, last);
    const queryKey = table === everything ? [] : [table];
    // The library does not restart a first read, although its answer may be older than the change.
    const first = queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching', predicate: hasNoData });
    await queries.invalidateQueries({ queryKey });
    if (first.length > 0) await queries.invalidateQueries({ queryKey, predicate: (query) => first.includes(query) });
    last.isRunning = false;
    if (lastReads.get(table) !== last || !timers.has(table)) return;
    clearTimeout(timers.get(table));
    timers.delete(table);
    changed(table);
  }

  return {
    changed,
    stop(): void {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

const hasNoData = ({ state }: Query): boolean => state.data === undefined;
