import { sql } from 'slonik';
import { z } from 'zod';
import type { StateFollower } from '../bus/follow-state.ts';
import type { StateDigest, StateMessage } from '../bus/publish-state.ts';
import type { Resource } from '../contracts/contract.ts';
import type { Loop } from '../service/service.ts';
import type { Queries, Transaction } from './database.ts';
import { digestOf } from './state-digest.ts';

export interface ProjectionOptions {
  db: Queries;
  bus: { readonly state: Pick<StateFollower, 'follow'> };
  resource: Resource;
  /** See `followProjection` for its shape. */
  table: string;
  /** Fields of the public row that the table keeps, under the same names; `env_id` may always be one. */
  columns: readonly string[];
  /** In the transaction that changed the row; old news and repetitions do not get here. */
  onApplied?: (message: StateMessage, tx: Transaction) => Promise<void>;
}

/**
 * Keeps our copy of another service's rows. Its table, by convention `<resource>_seen`, has four columns of its own,
 * and those that are copied, in types that their JSON fits:
 *
 *     create table clusters_seen (
 *       id uuid primary key,
 *       version bigint not null,
 *       deleted boolean not null,
 *       applied_at timestamptz(3) not null default now(),
 *       env_id uuid,
 *       ignore boolean not null
 *     );
 *
 * Deleted rows stay for 30 days with the version of their end, so that late news cannot bring them back:
 * queries say `where not deleted`.
 */
export function followProjection({ db, bus, resource, table, columns, onApplied }: ProjectionOptions): Loop {
  refuseUnknownColumns(resource, columns);
  const store = projectionStore(table, columns);

  const apply = async (message: StateMessage): Promise<void> => {
    if (onApplied === undefined) {
      await store.apply(db, message);
      return;
    }
    await db.transaction(async (tx) => {
      if (await store.apply(tx, message)) await onApplied(message, tx);
    });
  };

  const matches = async ({ count, hash }: StateDigest): Promise<boolean> => {
    await store.prune(db);
    const ours = await store.digest(db);
    return ours.count === count && ours.hash === hash;
  };

  return (signal) => bus.state.follow(resource, { apply, matches, signal });
}

function refuseUnknownColumns({ name, state }: Resource, columns: readonly string[]): void {
  const known = new Set([...Object.keys(state?.row.shape ?? {}), 'env_id']);
  const unknown = columns.find((column) => !known.has(column));
  if (unknown !== undefined) throw new Error(`The state of ${name} has no field ${unknown} to copy`);
}

const applied = sql.type(z.object({ id: z.uuid() }));
const nothing = sql.type(z.object({}));
const digest = sql.type(z.object({ count: z.number().int(), hash: z.string() }));

function projectionStore(table: string, columns: readonly string[]) {
  const name = sql.identifier([table]);
  const copied = columns.map((column) => sql.identifier([column]));
  const all = ['version', 'deleted', 'applied_at', ...columns].map((column) => sql.identifier([column]));
  const changes = all.map((column) => sql.fragment`${column} = excluded.${column}`);

  return {
    /** Whether it was news. */
    async apply(queries: Queries, { id, version, operation, env_id, row }: StateMessage): Promise<boolean> {
      const source = { env_id, ...z.record(z.string(), z.unknown()).parse(row) };
      const news = await queries.maybeOne(applied`
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
      return news !== null;
    },

    digest: (queries: Queries) =>
      queries.one(digest`
        select count(*) as count, ${digestOf(sql.fragment`id`, sql.fragment`version`)} as hash
        from ${name} where not deleted
      `),

    prune: (queries: Queries) =>
      queries.query(nothing`delete from ${name} where deleted and applied_at < now() - interval '30 days'`),
  };
}
