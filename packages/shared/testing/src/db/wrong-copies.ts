import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import type { FollowOptions } from '@berth/bus/state/follow-state';
import type { Database } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import type { Projection } from '@berth/db/projections/projection';
import { stateDigest } from '@berth/db/outbox/state-digest';

const Held = z.object({ id: z.uuid(), version: z.number().int() });
const held = sql.type(Held);
const digest = sql.type(z.object({ count: z.number().int(), hash: z.string() }));

interface Copy {
  db: Database;
  table: string;
  /** A row that the owner also has. */
  id: string;
}

/** The ways in which a copy may differ from its owner. */
const wrongWays: Record<string, (copy: Copy) => Promise<unknown>> = {
  'has an older row': ({ db, table, id }) =>
    db.query(statement`update ${sql.identifier([table])} set version = 1 where id = ${id}`),
  'has a newer row': ({ db, table, id }) =>
    db.query(statement`update ${sql.identifier([table])} set version = version + 1000000 where id = ${id}`),
  'has a row as deleted': ({ db, table, id }) =>
    db.query(statement`
      update ${sql.identifier([table])} set deleted = true, version = version + 1000000 where id = ${id}
    `),
  'lacks a row': ({ db, table, id }) => db.query(statement`delete from ${sql.identifier([table])} where id = ${id}`),
  'has a ghost row': ({ db, table, id }) => db.query(ghost(table, id, 0)),
  'has a ghost row above all others': ({ db, table, id }) => db.query(ghost(table, id, 1_000_000)),
};
export const waysToBeWrong = Object.keys(wrongWays);

const ghost = (table: string, like: string, ahead: number) => statement`
  insert into ${sql.identifier([table])}
  select (jsonb_populate_record(c, jsonb_build_object(
    'id', ${randomUUID()}::uuid, 'version', c.version + ${ahead}, 'applied_at', now() - interval '1 hour'
  ))).*
  from ${sql.identifier([table])} c where c.id = ${like}
`;

export interface CopyInTest {
  db: Database;
  projection: Projection;
  resource: string;
  table: string;
  /** A public row of the owner; a second row is made from it with another id. */
  row: { id: string };
}

/**
 * Makes the copy wrong and repeats digests and republications as the owner would, until the two agree. Returns the rows of the
 * copy and of the owner.
 */
export async function mended({ db, projection, resource, table, row }: CopyInTest, way: string) {
  const { apply, matches, highest } = await follower(projection, db);
  const ids = [row.id, randomUUID()];
  let version = Date.now() * 1_000;
  let owned: z.infer<typeof Held>[] = [];
  const publish = async (): Promise<void> => {
    owned = ids.map((id) => ({ id, version: ++version }));
    for (const { id, version: each } of owned) {
      await apply({ resource, id, version: each, env_id: null, operation: 'UPDATE', row: { ...row, id } });
    }
  };
  await db.query(statement`truncate ${sql.identifier([table])}`);
  await publish();
  await wrongWays[way]?.({ db, table, id: row.id });

  const agrees = async () =>
    matches?.({ resource, lowest: owned[0]?.version ?? 0, ...(await digestOfRows(db, owned)) });
  for (let publications = 0; !(await agrees()); publications += 1) {
    if (publications === 2) throw new Error(`The copy ${table} is still wrong after ${publications} publications`);
    version = Math.max(version, (await highest?.()) ?? 0);
    await publish();
  }
  const live = await db.any(
    held`select id, version from ${sql.identifier([table])} where not deleted order by version`,
  );
  return { live, owned };
}

const digestOfRows = (db: Database, rows: readonly z.infer<typeof Held>[]) =>
  db.one(digest`
    select count(*) as count, ${stateDigest(sql.fragment`id`, sql.fragment`version`)} as hash
    from jsonb_to_recordset(${sql.jsonb([...rows])}) as owned(id uuid, version bigint)
  `);

/** The callbacks that the bus received. */
async function follower(projection: Projection, db: Database): Promise<FollowOptions> {
  const { promise, resolve } = Promise.withResolvers<FollowOptions>();
  const bus = { state: { follow: async (_resource: unknown, given: FollowOptions) => resolve(given) } };
  await projection.follow({ db, bus })(new AbortController().signal);
  return promise;
}
