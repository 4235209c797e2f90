import { Bug } from '@berth/contracts/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import type { StateFollower } from '@berth/bus/state/follow-state';
import type { StateDigest, StateMessage } from '@berth/bus/state/publish-state';
import type { Resource } from '@berth/contracts/definition/contract';
import type { Loop } from '@berth/service/service';
import type { Queries, Transaction } from '../database.ts';
import { stateDigest } from '../outbox/state-digest.ts';
import { statement } from '../statement.ts';

/** `lost`: the owner does not have the row and never published its deletion, as after a restore from a backup. */
type Gone = 'deleted' | 'lost';

export interface ProjectionSpec {
  resource: Resource;
  /** `createProjection` describes its columns. */
  table: string;
  /** Fields of the public row that the table stores under the same names; `env_id` is always allowed. */
  columns: readonly string[];
  /** Called in the transaction that changes the row, but not for older or repeated messages. */
  onApplied?: (message: StateMessage, tx: Transaction) => Promise<void>;
  /**
   * Called in the transaction that removes the row: after a deletion, or because the digest shows that the owner does not have
   * it.
   */
  onGone?: (id: string, tx: Transaction, why: Gone) => Promise<void>;
}

export interface ProjectionOptions extends ProjectionSpec {
  db: Queries;
  bus: { readonly state: Pick<StateFollower, 'follow'> };
}

export interface Projection {
  /** Applies a row from the stream or from a confirmation; returns whether its version was newer. */
  apply(db: Queries, message: StateMessage): Promise<boolean>;
  /** Keeps the projection up to date, and compares it with the owner's digests. */
  follow(following: Pick<ProjectionOptions, 'db' | 'bus'>): Loop;
}

/**
 * Maintains a projection of another service's rows. Its table has four columns of its own, and the copied ones, in types that
 * match their JSON:     create table cluster_projection (       id uuid primary key,       version bigint not null,       deleted
 * boolean not null,       applied_at timestamptz(3) not null default now(),       env_id uuid,       ignore boolean not null
 * ); Deleted rows stay for 30 days with the version of their deletion, so that a late message cannot restore them: queries say
 * `where not deleted`.
 */
export function createProjection({ resource, table, columns, onApplied, onGone }: ProjectionSpec): Projection {
  refuseUnknownColumns(resource, columns);
  const store = projectionStore(table, columns);

  const apply = async (db: Queries, message: StateMessage): Promise<boolean> => {
    if (!onApplied && !onGone) return store.apply(db, message);
    return db.transaction(async (tx) => {
      if (!(await store.apply(tx, message))) return false;
      if (message.operation === 'DELETE') await onGone?.(message.id, tx, 'deleted');
      else await onApplied?.(message, tx);
      return true;
    });
  };

  /** No message will ever remove a row that the owner does not have. */
  const removeGhosts = (db: Queries, lowest: number): Promise<void> =>
    db.transaction(async (tx) => {
      for (const id of await store.removeBelow(tx, lowest)) await onGone?.(id, tx, 'lost');
    });

  const matches = async (db: Queries, digest: StateDigest): Promise<boolean> => {
    await store.prune(db);
    const { all, ownersPart } = await store.digests(db, digest.lowest);
    if (isSame(all, digest)) return true;
    if (!isSame(ownersPart, digest)) return false;
    await removeGhosts(db, digest.lowest);
    return true;
  };

  return {
    apply,
    follow:
      ({ db, bus }) =>
      (signal) =>
        bus.state.follow(resource, {
          apply: async (message) => void (await apply(db, message)),
          matches: (digest) => matches(db, digest),
          highest: () => store.highest(db),
          signal,
        }),
  };
}

export const followProjection = ({ db, bus, ...spec }: ProjectionOptions): Loop =>
  createProjection(spec).follow({ db, bus });

const isSame = (one: Pick<StateDigest, 'count' | 'hash'>, other: Pick<StateDigest, 'count' | 'hash'>): boolean =>
  one.count === other.count && one.hash === other.hash;

function refuseUnknownColumns({ name, state }: Resource, columns: readonly string[]): void {
  const known = new Set([...Object.keys((state?.published ?? state?.row)?.shape ?? {}), 'env_id']);
  const unknown = columns.find((column) => !known.has(column));
  if (unknown !== undefined) throw new Bug(`The state of ${name} has no field ${unknown} to copy`);
}

const withId = sql.type(z.object({ id: z.uuid() }));
const version = sql.type(z.object({ highest: z.number().int() }));
const digests = sql.type(
  z.object({
    count: z.number().int(),
    hash: z.string(),
    part_count: z.number().int(),
    part_hash: z.string(),
  }),
);

function projectionStore(table: string, columns: readonly string[]) {
  const name = sql.identifier([table]);
  const copied = columns.map((column) => sql.identifier([column]));
  const all = ['version', 'deleted', 'applied_at', ...columns].map((column) => sql.identifier([column]));
  const changes = all.map((column) => sql.fragment`${column} = excluded.${column}`);
  /**
   * Rows that the owner does not have, except for rows applied a moment ago: those may have been committed after the digest was
   * taken.
   */
  const ghosts = (lowest: number) =>
    sql.fragment`not deleted and version < ${lowest} and applied_at < now() - interval '10 seconds'`;

  return {
    /** Whether the version was newer. */
    async apply(queries: Queries, { id, version, operation, env_id, row }: StateMessage): Promise<boolean> {
      const source = { env_id, ...z.record(z.string(), z.unknown()).parse(row) };
      const applied = await queries.maybeOne(withId`
        insert into ${name} (id, ${sql.list(all)})
        select ${sql.list([
          sql.fragment`${id}::uuid, ${version}::bigint, ${operation === 'DELETE'}::boolean, now()`,
          ...copied,
        ])}
        from jsonb_populate_record(null::${name}, ${sql.jsonb(source)})
        on conflict (id) do update set ${sql.list(changes)}
        where ${name}.version < excluded.version
        returning id
      `);
      return applied !== null;
    },

    /** Digests of all rows, and of the rows that the owner may have. */
    async digests(queries: Queries, lowest: number) {
      const { count, hash, part_count, part_hash } = await queries.one(digests`
        select count(*) as count, ${stateDigest(sql.fragment`id`, sql.fragment`version`)} as hash,
          count(*) filter (where not ghost) as part_count,
          ${stateDigest(sql.fragment`id`, sql.fragment`version`, sql.fragment`not ghost`)} as part_hash
        from (select id, version, (${ghosts(lowest)}) as ghost from ${name} where not deleted) as live
      `);
      return { all: { count, hash }, ownersPart: { count: part_count, hash: part_hash } };
    },

    async highest(queries: Queries): Promise<number> {
      return (await queries.one(version`select coalesce(max(version), 0) as highest from ${name}`)).highest;
    },

    async removeBelow(queries: Queries, lowest: number): Promise<string[]> {
      const removed = await queries.any(withId`
        update ${name} set deleted = true, applied_at = now() where ${ghosts(lowest)} returning id
      `);
      return removed.map(({ id }) => id);
    },

    prune: (queries: Queries) =>
      queries.query(statement`delete from ${name} where deleted and applied_at < now() - interval '30 days'`),
  };
}
