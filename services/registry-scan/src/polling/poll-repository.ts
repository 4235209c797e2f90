import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

/** How a round ended. */
export interface RoundRecord {
  /** When it began, by the clock of the database: after a success, a poll that became due since is not put off. */
  startedAt: string;
  /** Until the next one. */
  afterMs: number;
  /** Consecutive failed rounds. */
  failures: number;
  isComplete: boolean;
  error: string | null;
}

const freshness = sql.type(
  z.object({
    name: z.string(),
    at: z.number(),
    failures: z.number().int(),
    /** Null if the configuration says it, or nothing does. */
    interval_seconds: z.number().nullable(),
  }),
);
const poll = sql.type(z.object({ failures: z.number().int(), is_due: z.boolean() }));

export const createPollRepository = (db: Queries) => ({
  /** If a poll of the registry is due, the number of consecutive failures before it; else null. */
  failuresIfDue: async (key: string): Promise<number | null> => {
    const row = await db.maybeOne(poll`
      select failures, next_at <= clock_timestamp() as is_due from registry_polls where domain_name = ${key}
    `);
    if (row === null) return 0;
    return row.is_due ? row.failures : null;
  },

  record: (key: string, { startedAt, afterMs, failures, isComplete, error }: RoundRecord) =>
    db.query(statement`
      insert into registry_polls (domain_name, next_at, failures, last_scan_at, last_error)
      values (
        ${key}, clock_timestamp() + ${afterMs} * interval '1 millisecond', ${failures},
        case when ${isComplete} then clock_timestamp() end, ${error}
      )
      on conflict (domain_name) do update set
        next_at = case
          when ${failures} = 0 and registry_polls.next_at > ${startedAt} then registry_polls.next_at
          else excluded.next_at
        end,
        failures = excluded.failures, last_error = excluded.last_error,
        last_scan_at = coalesce(excluded.last_scan_at, registry_polls.last_scan_at)
    `),

  /**
   * How fresh each registry is that was polled: those of the configuration, and those that were created. Several created ones may
   * be repositories of one domain; the worst of them counts.
   */
  freshness: (configured: readonly string[]) =>
    db.any(freshness`
      select coalesce(h.domain_name, p.domain_name) as name,
        extract(epoch from min(coalesce(p.last_scan_at, p.first_at)))::float8 as at, max(p.failures) as failures,
        max((c.settings ->> 'poll_interval_seconds')::float8) as interval_seconds
      from registry_polls p
      left join created_registries c on c.helm_registry_id::text = p.domain_name
      left join helm_registries h on h.id = c.helm_registry_id
      where h.id is not null or p.domain_name = any(${sql.array([...configured], 'text')})
      group by 1 order by 1
    `),

  /** Makes the next poll due now, in any replica. One that is under way is repeated. */
  makeDue: (key: string) =>
    db.query(statement`
      insert into registry_polls (domain_name, next_at, failures) values (${key}, clock_timestamp(), 0)
      on conflict (domain_name) do update set next_at = excluded.next_at
    `),

  /** The push events of these registries cannot be received. */
  queueFailed: (keys: readonly string[], error: string) =>
    db.query(statement`
      insert into registry_polls (domain_name, next_at, failures, queue_error)
      select key, clock_timestamp(), 0, ${error} from unnest(${sql.array([...keys], 'text')}) key
      on conflict (domain_name) do update set queue_error = excluded.queue_error
    `),

  /**
   * After an outage, which this process may not have seen, polls are due: push events may have been lost. `wasOut` says that it has
   * seen one.
   */
  queueAnswers: (keys: readonly string[], wasOut: boolean) =>
    db.query(statement`
      update registry_polls set queue_error = null, next_at = clock_timestamp()
      where domain_name = any(${sql.array([...keys], 'text')}) and (queue_error is not null or ${wasOut})
    `),
});
export type PollRepository = ReturnType<typeof createPollRepository>;
