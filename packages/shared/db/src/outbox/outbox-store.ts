import { sql } from 'slonik';
import { z } from 'zod';
import { type StateDigest, type StateMessage, StateOperation, type StreamStatus } from '@berth/bus/state/publish-state';
import type { Queries } from '../database.ts';
import { statement } from '../statement.ts';
import { stateDigest } from './state-digest.ts';

type KnownStream = Pick<StreamStatus, 'created' | 'lastSeq'>;

export type Subject = Pick<StateMessage, 'resource' | 'id' | 'version'>;

const message = sql.type(
  z.object({
    resource: z.string(),
    id: z.uuid(),
    version: z.number().int(),
    env_id: z.uuid().nullable(),
    operation: z.enum(StateOperation),
    row: z.record(z.string(), z.unknown()),
    traceparent: z.string().nullable(),
  }),
);
const stream = sql.type(z.object({ created: z.string(), last_seq: z.number().int() }));
const digest = sql.type(
  z.object({ resource: z.string(), count: z.number().int(), hash: z.string(), lowest: z.number().int() }),
);
const version = sql.type(z.object({ version: z.number().int() }));

const clearedAtOnce = 5_000;
const prunedAtOnce = 5_000;

/** Later than any time, and exact as a number in JavaScript: followers cannot push versions beyond it. */
const highestFloor = 2 ** 52;

const subjectsOf = (subjects: readonly Subject[]) =>
  sql.unnest(
    subjects.map(({ resource, id, version }) => [resource, id, version]),
    ['text', 'uuid', 'int8'],
  );

/** The operations of the relay on the outbox. */
export const outboxStore = (db: Queries) => ({
  /** Unpublished rows in the order of their changes. */
  async unpublished(limit: number, except: readonly Subject[]): Promise<StateMessage[]> {
    const rows = await db.any(message`
      select resource, id, version, env_id, operation, row, traceparent
      from outbox
      where published_version is distinct from version
        and (resource, id, version) not in (select * from ${subjectsOf(except)} as left_out(resource, id, version))
      order by version
      limit ${limit}
    `);
    return rows.map(({ traceparent, ...rest }) => ({ ...rest, traceparent: traceparent ?? undefined }));
  },

  /**
   * Marks rows as published. If a row changed meanwhile, it stays unpublished; since its INSERT was published, its next message
   * is an UPDATE. Skips rows that another transaction has locked: that transaction may wait for rows that are marked here, so
   * waiting could deadlock.
   */
  async markPublished(subjects: readonly Subject[]): Promise<void> {
    if (subjects.length === 0) return;
    await db.query(statement`
      update outbox set
        published_version = acked.version,
        operation = case
          when outbox.version > acked.version and outbox.operation = 'INSERT' then 'UPDATE' else outbox.operation
        end
      from (
        select o.resource, o.id, published.version
        from outbox o
        join ${subjectsOf(subjects)} as published(resource, id, version)
          on o.resource = published.resource and o.id = published.id
        where o.published_version is null or o.published_version < published.version
        for update of o skip locked
      ) as acked
      where outbox.resource = acked.resource and outbox.id = acked.id
    `);
  },

  /** Marks all rows of these resources as unpublished, in batches that stay below the statement timeout. */
  async clearMarks(resources: readonly string[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { rowCount } = await db.query(statement`
        update outbox set published_version = 0
        where (resource, id) in (
          select resource, id from outbox
          where published_version > 0 and resource = any(${sql.array([...resources], 'text')}) limit ${clearedAtOnce}
        )
      `);
      if (rowCount < clearedAtOnce) return;
    }
  },

  /**
   * Gives every row of a resource a version above all versions of a projection, and publishes it again. Afterwards, each row of
   * the projection is either replaced or known to be missing at the owner. Rows that wait to be published keep their mark.
   */
  async renewVersions(resource: string, highest: number, signal: AbortSignal): Promise<void> {
    if (highest <= highestFloor) {
      await db.query(statement`
        select setval('outbox_version', ${highest}) from outbox_version where last_value < ${highest}
      `);
    }
    const { version: floor } = await db.one(version`select next_outbox_version() as version`);
    while (!signal.aborted) {
      const { rowCount } = await db.query(statement`
        update outbox set
          version = greatest(outbox.version + 1, next_outbox_version()),
          published_version = case when published_version = version then 0 else published_version end
        from (
          select resource, id from outbox where resource = ${resource} and version < ${floor}
          order by id limit ${clearedAtOnce} for update
        ) as old
        where outbox.resource = old.resource and outbox.id = old.id
      `);
      if (rowCount < clearedAtOnce) return;
    }
  },

  async knownStream(): Promise<KnownStream | null> {
    const row = await db.maybeOne(stream`select created, last_seq from outbox_stream`);
    return row && { created: row.created, lastSeq: row.last_seq };
  },

  async rememberStream({ created, lastSeq }: KnownStream): Promise<void> {
    await db.query(statement`
      insert into outbox_stream (created, last_seq) values (${created}, ${lastSeq})
      on conflict (only_row) do update set created = excluded.created, last_seq = excluded.last_seq
    `);
  },

  /**
   * One digest per resource, even if it has no rows. It covers published versions: a row that the bus refuses is no reason to
   * publish the others again. `lowest` covers all rows, so that none in flight lies below it.
   */
  async digests(resources: readonly string[]): Promise<readonly StateDigest[]> {
    return await db.any(digest`
      select owned.resource, count(o.id) filter (where o.is_out) as count,
        ${stateDigest(sql.fragment`o.id`, sql.fragment`o.version`, sql.fragment`o.is_out`)} as hash,
        coalesce(min(o.version), next_outbox_version()) as lowest
      from ${sql.unnest(
        resources.map((resource) => [resource]),
        ['text'],
      )} as owned(resource)
      left join (
        select resource, id, coalesce(nullif(published_version, 0), version) as version,
          published_version is not null as is_out
        from outbox
        where operation <> 'DELETE' or (published_version > 0 and published_version < version)
      ) as o on o.resource = owned.resource
      group by owned.resource
    `);
  },

  /**
   * Deletes published rows without a projection, and tombstones after 30 days: a follower that was away longer detects the
   * difference by the digest.
   */
  async prune(copied: readonly string[], signal: AbortSignal): Promise<void> {
    const isCopied = sql.fragment`resource = any(${sql.array([...copied], 'text')})`;
    while (!signal.aborted) {
      const { rowCount } = await db.query(statement`
        delete from outbox where (resource, id) in (
          select resource, id from outbox
          where published_version = version and (
            (not ${isCopied} and changed_at < now() - interval '1 hour')
            or (operation = 'DELETE' and changed_at < now() - interval '30 days')
          )
          limit ${prunedAtOnce} for update skip locked
        )
      `);
      if (rowCount < prunedAtOnce) return;
    }
  },
});

export type OutboxStore = ReturnType<typeof outboxStore>;
