import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

/** A tag or repository to scan. */
export interface ScanHint {
  /** The key of its registry. */
  key: string;
  repository: string;
  /** Null: the whole repository. */
  tag: string | null;
  /** The digest that the tag should have; null if unknown. */
  digest: string | null;
}

export interface NewHint extends ScanHint {
  /** The pause before it is handed out. */
  afterMs: number;
}

/** A hint that was handed out, until it is removed or put back. */
export interface TakenHint extends ScanHint {
  id: number;
  /** From 1. */
  attempt: number;
}

const capacity = 10_000;
/** One registry must leave room for the hints of others. */
const capacityOfRegistry = 2_000;
const columnTypes = ['text', 'text', 'text', 'text', 'float8'];

const keyed = sql.type(z.object({ registry_key: z.string() }));
const pauseOf = sql.type(z.object({ ms: z.number().nullable() }));
const taken = sql.type(
  z.object({
    id: z.number(),
    attempt: z.number().int(),
    key: z.string(),
    repository: z.string(),
    tag: z.string().nullable(),
    digest: z.string().nullable(),
  }),
);

/** Hints that wait or are being handled, at most one for each tag or repository. */
export const createHintRepository = (db: Queries) => ({
  /**
   * Stores hints, and returns the keys of the registries for which one did not fit. A newer hint for the same tag replaces the older one
   * and never delays it.
   */
  async add(hints: readonly NewHint[]): Promise<string[]> {
    const rows = [...newestOfEach(hints)].map(({ key, repository, tag, digest, afterMs }) => [
      key,
      repository,
      tag,
      digest,
      afterMs,
    ]);
    if (rows.length === 0) return [];
    const unfit = await db.any(keyed`
      with waiting as (
        select registry_key, count(*) as hints from push_hints group by registry_key
      ), given as (
        select g.*, (
          (select coalesce(sum(hints), 0) from waiting) + row_number() over () <= ${capacity}
          and coalesce(w.hints, 0) + row_number() over (partition by g.registry_key) <= ${capacityOfRegistry}
        ) or exists (
          select from push_hints h
          where h.registry_key = g.registry_key and h.repo_name = g.repo_name and h.tag is not distinct from g.tag
        ) as fits
        from ${sql.unnest(rows, columnTypes)} g (registry_key, repo_name, tag, digest, after_ms)
        left join waiting w on w.registry_key = g.registry_key
      ), added as (
        insert into push_hints (registry_key, repo_name, tag, digest, due_at)
        select registry_key, repo_name, tag, digest, clock_timestamp() + after_ms * interval '1 millisecond'
        from given where fits
        -- In one order, so that two replicas do not wait for each other.
        order by registry_key, repo_name, tag
        on conflict on constraint push_hints_named do update set
          id = default, digest = excluded.digest, attempts = 0, due_at = least(push_hints.due_at, excluded.due_at)
      )
      select distinct registry_key from given where not fits
    `);
    return unfit.map(({ registry_key }) => registry_key);
  },

  /** Hands out the hint that has been due longest, except those of busy registries. It comes back after a pause unless it is removed. */
  take: (backAfterMs: number, busy: readonly string[]): Promise<TakenHint | null> =>
    db.maybeOne(taken`
      update push_hints set attempts = attempts + 1, due_at = clock_timestamp() + ${backAfterMs} * interval '1 millisecond'
      where id = (
        select id from push_hints
        where due_at <= clock_timestamp() and registry_key <> all(${sql.array([...busy], 'text')})
        order by due_at limit 1
        for update skip locked
      )
      returning id, attempts as attempt, registry_key as key, repo_name as repository, tag, digest
    `),

  /** Time until a hint is due, of those that `take` hands out: not positive if one is, null if there is none. */
  nextInMs: (busy: readonly string[]): Promise<number | null> =>
    db.oneFirst(pauseOf`
      select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms from push_hints
      where registry_key <> all(${sql.array([...busy], 'text')})
    `),

  putBack: ({ id }: TakenHint, afterMs: number) =>
    db.query(statement`
      update push_hints set due_at = clock_timestamp() + ${afterMs} * interval '1 millisecond' where id = ${id}
    `),

  /** Leaves a newer hint for the same tag. */
  remove: ({ id }: TakenHint) => db.query(statement`delete from push_hints where id = ${id}`),
});
export type HintRepository = ReturnType<typeof createHintRepository>;

/** One event may name a tag several times. */
function newestOfEach(hints: readonly NewHint[]): Iterable<NewHint> {
  const byName = new Map<string, NewHint>();
  for (const hint of hints) {
    const name = JSON.stringify([hint.key, hint.repository, hint.tag]);
    const afterMs = Math.min(hint.afterMs, byName.get(name)?.afterMs ?? hint.afterMs);
    byName.set(name, { ...hint, afterMs });
  }
  return byName.values();
}
