import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

/** The keys under which rows of a table are sealed, each found by one index lookup. */
export function keyIdsIn(db: Queries, table: 'secrets' | 'deployment_resources') {
  const rows = sql.identifier([table]);
  return db.anyFirst(sql.type(z.object({ key_id: z.string() }))`
    with recursive used as (
      (select key_id from ${rows} where key_id is not null order by key_id limit 1)
      union all
      (
        select next.key_id from used
        cross join lateral (
          select key_id from ${rows} sealed where sealed.key_id > used.key_id order by key_id limit 1
        ) next
      )
    )
    select key_id from used
  `);
}
