import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import type { Retention } from '../records/retention.ts';
import type { Examined, Position } from '../store/tasks/retention-repository.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';

/** Tasks that are examined in one statement. */
const batch = 100;
/** Log lines removed in one statement with their tasks; a task has up to 10,000. */
const linesAtOnce = 20_000;
/** Limited, since each removal is an event for all followers of tasks. */
const mostPerRun = 5_000;
/** The shortest pause. */
const pauseMs = 20;

export interface RemoveOldTasksDeps {
  store: Pick<ReadingStore, 'retention'>;
  inTransaction: InTransaction;
  retention: Retention;
  log: Service['log'];
  countRemoved: (tasks: number) => void;
}

/**
 * Removes finished tasks that are no longer kept, in short transactions and some thousands per run; the next run continues. Each
 * pause is as long as the work before it: without pauses, claims took seven times as long during a run.
 */
export async function removeOldTasks(deps: RemoveOldTasksDeps, signal: AbortSignal): Promise<void> {
  let removed = 0;
  let began = performance.now();
  for await (const tasks of noLongerKept(deps)) {
    for (const ids of portionsOf(tasks)) {
      if (signal.aborted || removed >= mostPerRun) break;
      const gone = await deps.inTransaction(({ retentionChanges }) => retentionChanges.remove(ids));
      removed += gone.length;
      deps.countRemoved(gone.length);
    }
    if (signal.aborted || removed >= mostPerRun) break;
    await pause(Math.max(pauseMs, performance.now() - began), signal);
    began = performance.now();
  }
  if (removed > 0) deps.log.info({ removed }, 'removed old tasks');
}

/** Tasks that ended too long ago, then those beyond the limit of a deployment. */
async function* noLongerKept({ store, retention: kept }: RemoveOldTasksDeps): AsyncGenerator<Examined[]> {
  const { retention } = store;
  for (let last: Position | null = null; ; ) {
    const page: readonly Examined[] = await retention.outdated(kept, last, batch);
    yield page.filter(({ is_needed }) => !is_needed);
    last = page.at(-1) ?? null;
    if (page.length < batch) break;
  }
  for (let last: string | null = null; ; ) {
    const deployments: readonly string[] = await retention.crowded(kept, last, batch);
    for (const id of deployments) yield [...(await retention.surplus(id, kept, batch))];
    last = deployments.at(-1) ?? null;
    if (deployments.length < batch) break;
  }
}

/** Ids in batches with bounded logs; a single log may exceed the bound. */
export function portionsOf(tasks: readonly Pick<Examined, 'id' | 'log_lines'>[]): string[][] {
  const portions: string[][] = [];
  let lines = Number.POSITIVE_INFINITY;
  for (const { id, log_lines } of tasks) {
    if (lines + log_lines > linesAtOnce) {
      portions.push([]);
      lines = 0;
    }
    lines += log_lines;
    portions.at(-1)?.push(id);
  }
  return portions;
}
