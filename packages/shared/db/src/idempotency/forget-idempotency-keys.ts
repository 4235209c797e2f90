import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import type { Queries } from '../database.ts';
import { inBatches } from '../postgres/in-batches.ts';
import { statement } from '../statement.ts';

/** Deletes expired keys. */
export const forgetIdempotencyKeys = ({ db }: { db: Queries }): Loop =>
  every(60_000, (signal) => inBatches((most) => forgetSome(db, most), signal));

/** A little after the keys expire, so that a request that has just found a row does not lose it. */
async function forgetSome(db: Queries, most: number): Promise<number> {
  const { rowCount } = await db.query(statement`
    delete from idempotency_keys where (identity, key) in (
      select identity, key from idempotency_keys
      where created_at < now() - interval '24 hours 5 minutes'
      order by created_at
      limit ${most}
      for update skip locked
    )
  `);
  return rowCount;
}
