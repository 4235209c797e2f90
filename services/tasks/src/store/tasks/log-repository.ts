import { Timestamp } from '@berth/contracts/fields/fields';
import { LogLine } from '@berth/contracts/resources/tasks/runner-tasks';
import type { Queries, Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { isClaimOfTask } from '../queue/claim-sql.ts';

export const LogState = z.object({
  /** The number of the next line that the current claim sends. */
  next: z.number().int(),
  /** The size stored so far. */
  lines: z.number().int(),
  bytes: z.number().int(),
});
export type LogState = z.infer<typeof LogState>;

const StoredLine = z.strictObject({ ...LogLine.shape, at: Timestamp });

export const createLogRepository = (db: Queries) => ({
  /** Lines from this number on. */
  lines: (task_id: string, from: number, limit: number) =>
    db.any(sql.type(StoredLine)`
      select at, source, text from deployment_task_log
      where task_id = ${task_id} and line >= ${from}
      order by line limit ${limit}
    `),
});
export type LogRepository = ReturnType<typeof createLogRepository>;

export const createLogChanges = (tx: Transaction) => ({
  /** How much the log holds for this claim, locked until the transaction ends; null if the claim is not the latest one. */
  lock: (task_id: string, fence: number) =>
    tx.maybeOne(sql.type(LogState)`
      select case when log_fence = fence then log_next else 0 end as next, log_lines as lines, log_bytes as bytes
      from deployment_tasks t where ${isClaimOfTask({ id: task_id, fence })}
      for update
    `),

  append: async (task_id: string, first: number, lines: readonly LogLine[]) => {
    await tx.query(statement`
      insert into deployment_task_log (task_id, line, at, source, text)
      select ${task_id}::uuid, ${first}::int + l.position, l.at, l.source, l.text
      from jsonb_to_recordset(${sql.jsonb(lines.map((line, position) => ({ ...line, position })))})
        as l(position int, at timestamptz, source text, text text)
    `);
  },

  save: async (task_id: string, { next, lines, bytes }: LogState) => {
    await tx.query(statement`
      update deployment_tasks set log_fence = fence, log_next = ${next}, log_lines = ${lines}, log_bytes = ${bytes}
      where id = ${task_id}
    `);
  },
});
