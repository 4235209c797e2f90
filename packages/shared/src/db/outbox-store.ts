import { sql } from 'slonik';
import { z } from 'zod';
import { type StateDigest, type StateMessage, StateOperation, type StreamStatus } from '../bus/publish-state.ts';
import type { Queries } from './database.ts';
import { digestOf } from './state-digest.ts';

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
const digest = sql.type(z.object({ resource: z.string(), count: z.number().int(), hash: z.string() }));
const nothing = sql.type(z.object({}));

const clearedAtOnce = 5_000;
const prunedAtOnce = 5_000;

const subjectsOf = (subjects: readonly Subject[]) =>
  sql.unnest(
    subjects.map(({ resource, id, version }) => [resource, id, version]),
    ['text', 'uuid', 'int8'],
  );

/** The relay's side of the outbox. */
export const outboxStore = (db: Queries) => ({
  /** In the order of their changes. */
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
   * A row that changed meanwhile stays unpublished; but as its INSERT is out, what follows is an UPDATE.
   * One that a transaction is about to change is passed over: it holds others that are marked here, in an order of its own.
   */
  async markPublished(subjects: readonly Subject[]): Promise<void> {
    if (subjects.length === 0) return;
    await db.query(nothing`
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

  /** Makes everything, or one resource, unpublished again; in pieces that stay below the statement timeout. */
  async clearMarks(signal: AbortSignal, resource?: string): Promise<void> {
    const chosen = resource === undefined ? sql.fragment`true` : sql.fragment`resource = ${resource}`;
    while (!signal.aborted) {
      const { rowCount } = await db.query(nothing`
        update outbox set published_version = 0
        where (resource, id) in (
          select resource, id from outbox where published_version > 0 and ${chosen} limit ${clearedAtOnce}
        )
      `);
      if (rowCount < clearedAtOnce) return;
    }
  },

  async knownStream(): Promise<StreamStatus | null> {
    const row = await db.maybeOne(stream`select created, last_seq from outbox_stream`);
    return row && { created: row.created, lastSeq: row.last_seq };
  },

  async rememberStream({ created, lastSeq }: StreamStatus): Promise<void> {
    await db.query(nothing`
      insert into outbox_stream (created, last_seq) values (${created}, ${lastSeq})
      on conflict (only_row) do update set created = excluded.created, last_seq = excluded.last_seq
    `);
  },

  /** One for each of the resources, also for those without rows. */
  async digests(resources: readonly string[]): Promise<readonly StateDigest[]> {
    return await db.any(digest`
      select owned.resource, count(o.id) as count, ${digestOf(sql.fragment`o.id`, sql.fragment`o.version`)} as hash
      from ${sql.unnest(
        resources.map((resource) => [resource]),
        ['text'],
      )} as owned(resource)
      left join outbox o on o.resource = owned.resource and o.operation <> 'DELETE'
      group by owned.resource
    `);
  },

  /** Whoever was away longer than this finds by the digest that its rows differ. */
  async pruneTombstones(): Promise<void> {
    await db.query(nothing`
      delete from outbox where (resource, id) in (
        select resource, id from outbox
        where operation = 'DELETE' and published_version = version and changed_at < now() - interval '30 days'
        limit ${prunedAtOnce}
      )
    `);
  },
});

export type OutboxStore = ReturnType<typeof outboxStore>;
