import type { Queries } from '../database.ts';
import { statement } from '../statement.ts';

/** By the clock of the database, which replicas share; the clock of a host may be wrong. */
export const isPast = (db: Pick<Queries, 'exists'>, time: string): Promise<boolean> =>
  db.exists(statement`select where ${time}::timestamptz <= clock_timestamp()`);
