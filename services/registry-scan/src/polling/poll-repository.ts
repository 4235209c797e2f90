import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const nothing = sql.type(z.object({}));
const poll = sql.type(z.object({ failures: z.number().int(), is_due: z.boolean() }));

export const createPollRepository = (db: Queries) => ({
  /** If a poll of the registry is due, the number of consecutive failures before it; else null. */
  failuresIfDue: async (domain: string): Promise<number | null> => {
    const row = await db.maybeOne(poll`
      select failures, next_at <= clock_timestamp() as is_due from registry_polls where domain_name = ${domain}
    `);
    if (row === null) return 0;
    return row.is_due ? row.failures : null;
  },

  schedule: (domain: string, afterMs: number, failures: number) =>
    db.query(nothing`
      insert into registry_polls (domain_name, next_at, failures)
      values (${domain}, clock_timestamp() + ${afterMs} * interval '1 millisecond', ${failures})
      on conflict (domain_name) do update set next_at = excluded.next_at, failures = excluded.failures
    `),

  /** Makes the next poll due now, in any replica. */
  makeDue: (domain: string) =>
    db.query(nothing`update registry_polls set next_at = clock_timestamp() where domain_name = ${domain}`),
});
export type PollRepository = ReturnType<typeof createPollRepository>;
