import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Transaction } from '@berth/db/database';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import type { z } from 'zod';
import { TaskRecord } from '../../records/task-record.ts';

/** Changes of many tasks at once read only the published columns: the inputs of each may be megabytes. */
const PublishedTask = TaskRecord.pick({ id: true, env_id: true, status: true });
export type PublishedTask = z.infer<typeof PublishedTask>;

export const publishedTask = sql.type(PublishedTask);
export const publishedColumns = sql.fragment`t.id, t.env_id, t.status`;

/** The present time of the database, truncated to milliseconds as in answers, so that a new task is due at once. */
export const clock = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

export const publishedTasks = (tx: Transaction) =>
  publishing<PublishedTask>(tx, deploymentTasks, ({ id, status }) => ({ id, status }));
