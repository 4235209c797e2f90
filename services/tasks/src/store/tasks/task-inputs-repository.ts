import type { Queries, Transaction } from '@berth/db/database';
import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { TaskRecord } from '../../records/task-record.ts';
import { TaskInputs, type WrappedKey } from '../../records/secret-record.ts';
import { taskRecordColumns } from './task-repository.ts';

const row = sql.type(TaskInputs);
const wrapped = sql.type(TaskInputs.omit({ sealed_inputs: true }));
type Masked = Pick<TaskRecord, 'operation' | 'run' | 'hidden_inputs'>;

export const createTaskInputsRepository = (db: Queries) => ({
  /** Null once the task has ended. */
  sealed: (task_id: string) =>
    db.maybeOne(row`
      select task_id, key_id, wrapped_key, sealed_inputs from deployment_task_inputs where task_id = ${task_id}
    `),

  /** The keys under which rows are sealed. Only open tasks have rows, so these are few. */
  keyIds: () =>
    db.anyFirst(sql.type(z.object({ key_id: z.string() }))`select distinct key_id from deployment_task_inputs`),

  /** Rows whose wrapped key is to be replaced, ordered by id; skips locked rows. */
  lockWrapped: (key_id: string, after: string, most: number) =>
    db.any(wrapped`
      select task_id, key_id, wrapped_key from deployment_task_inputs
      where key_id = ${key_id} and task_id > ${after}
      order by task_id limit ${most} for no key update skip locked
    `),

  /** A task of an older version, which did not determine its sensitive inputs. */
  lockUnmasked: () =>
    db.maybeOne(sql.type(TaskRecord)`
      select ${taskRecordColumns} from deployment_tasks t
      where t.hidden_inputs is null and t.effect = 'keeps'
      order by t.id limit 1 for no key update skip locked
    `),
});

export const createTaskInputsChanges = (tx: Transaction) => ({
  insert: async ({ task_id, key_id, wrapped_key, sealed_inputs }: TaskInputs): Promise<void> => {
    await tx.query(statement`
      insert into deployment_task_inputs (task_id, key_id, wrapped_key, sealed_inputs)
      values (${task_id}, ${key_id}, ${sql.binary(wrapped_key)}, ${sql.binary(sealed_inputs)})
    `);
  },

  saveMasked: async (id: string, { operation, run, hidden_inputs }: Masked): Promise<void> => {
    await tx.query(statement`
      update deployment_tasks set
        operation = ${sql.jsonb(operation)}, run = ${jsonOrNull(run)}::jsonb,
        hidden_inputs = ${sql.array([...(hidden_inputs ?? [])], 'text')}
      where id = ${id}
    `);
  },

  saveWrapped: async ({ id, key_id, wrapped_key }: { id: string } & WrappedKey): Promise<void> => {
    await tx.query(statement`
      update deployment_task_inputs set key_id = ${key_id}, wrapped_key = ${sql.binary(wrapped_key)}
      where task_id = ${id}
    `);
  },
});
