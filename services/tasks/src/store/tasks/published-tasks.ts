import type { StateOperation } from '@berth/bus/state/publish-state';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Transaction } from '@berth/db/database';
import { recordStates } from '@berth/db/outbox/outbox';
import { sql } from 'slonik';
import type { z } from 'zod';
import { TaskRecord } from '../../records/task-record.ts';

/** Changes of many tasks at once read only the published columns: inputs may be megabytes each. */
const PublishedTask = TaskRecord.pick({ id: true, env_id: true, status: true });
export type PublishedTask = z.infer<typeof PublishedTask>;

export const publishedTask = sql.type(PublishedTask);
export const publishedColumns = sql.fragment`t.id, t.env_id, t.status`;

/** Times come from the database's clock, truncated to milliseconds, so that a new task is due at once. */
export const clock = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

/** Records the new state of changed tasks in the outbox, in the transaction that changed them. */
export const publishingTasks =
  (tx: Transaction) =>
  async <Rows extends readonly PublishedTask[]>(operation: StateOperation, rows: Rows): Promise<Rows> => {
    await recordStates(
      tx,
      deploymentTasks,
      rows.map(({ id, env_id, status }) => ({ id, env_id, operation, row: { id, status } })),
    );
    return rows;
  };
