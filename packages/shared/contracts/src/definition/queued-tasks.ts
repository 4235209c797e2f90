import type { Operation } from './contract.ts';

/** The tasks that a request queued. */
export interface QueuedTasks {
  /** In the order in which they were queued; at most `mostTaskIds`. */
  ids: string[];
  /** The number of all. */
  count: number;
}

/** A header of 2 KB. Proxies refuse answers whose headers exceed 4 or 8 KB, and one secret may reinstall thousands. */
const mostTaskIds = 50;

export const queuedTasks = (ids: readonly string[]): QueuedTasks => ({
  ids: ids.slice(0, mostTaskIds),
  count: ids.length,
});

/** The headers that carry them, between services and to clients. */
export const taskHeaders = { ids: 'Berth-Task-Ids', count: 'Berth-Task-Count' } as const;

const tasks = 'deployment_tasks';

/** Whether the answer of the operation may carry these headers. */
export const queuesTasks = ({
  http,
  resource,
  changesAlso = [],
  mayChange = [],
}: Pick<Operation, 'http' | 'resource' | 'changesAlso' | 'mayChange'>): boolean =>
  (resource === tasks && http?.startsWith('POST') === true) || [...changesAlso, ...mayChange].includes(tasks);
