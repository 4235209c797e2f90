import { sql } from 'slonik';
import { z } from 'zod';
import type { Queries } from '../database.ts';

/** By the clock of the database, which replicas share; the clock of a host may be wrong. */
export const isPast = (db: Pick<Queries, 'exists'>, time: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select where ${time}::timestamptz <= clock_timestamp()`);
