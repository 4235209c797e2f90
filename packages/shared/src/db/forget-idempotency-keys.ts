import { sql } from 'slonik';
import { z } from 'zod';
import { every } from '../service/loop.ts';
import type { Loop } from '../service/service.ts';
import type { Queries } from './database.ts';

const nothing = sql.type(z.object({}));
const batch = 500;
const batchesAtATime = 20;

/** Deletes the keys whose time is over; what does not fit into one turn goes with the next. */
export const forgetIdempotencyKeys = ({ db }: { db: Queries }): Loop =>
  every(60_000, async (signal) => {
    for (let n = 0; n < batchesAtATime && !signal.aborted; n += 1) {
      if ((await forgetSome(db)) < batch) return;
    }
  });

/** A little later than they end, so that nobody loses a row from under a request that has just found it. */
async function forgetSome(db: Queries): Promise<number> {
  const { rowCount } = await db.query(nothing`
    delete from idempotency_keys where (identity, key) in (
      select identity, key from idempotency_keys
      where created_at < now() - interval '24 hours 5 minutes'
      order by created_at
      limit ${batch}
      for update skip locked
    )
  `);
  return rowCount;
}
