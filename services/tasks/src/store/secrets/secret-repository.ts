import type { RequestOutput } from '@berth/contracts/definition/contract';
import { Secret, type secrets } from '@berth/contracts/resources/deployments/secrets';
import type { Queries } from '@berth/db/database';
import { equalsIgnoringCase, inEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { sql } from 'slonik';
import { z } from 'zod';
import { BoundTo, SecretRecord, WrappedKey } from '../../records/secret-record.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { keyIdsIn } from './key-ids-in.ts';

/** The columns that answers may contain. */
export const publicColumns = sql.fragment`id, created_at, updated_at, env_id, collection, name`;
export const recordColumns = sql.fragment`${publicColumns}, key_id, wrapped_key, sealed_contents`;

const secret = sql.type(Secret);
const record = sql.type(SecretRecord);
const wrapped = sql.type(BoundTo.extend(WrappedKey.shape));

type ListQuery = RequestOutput<typeof secrets.operations.list>['query'];

export const createSecretRepository = (db: Queries) => ({
  list: (query: ListQuery, visible: VisibleEnvs) =>
    listPage(db, {
      row: Secret,
      columns: publicColumns,
      from: sql.fragment`secrets`,
      where: [
        inEnvs(sql.fragment`env_id`, visible, query.env_id),
        equalsIgnoringCase(sql.fragment`collection`, query.collection),
        equalsIgnoringCase(sql.fragment`name`, query.name),
      ],
      request: query,
      sortable: {
        created_at: sql.fragment`created_at`,
        updated_at: sql.fragment`updated_at`,
        collection: sql.fragment`collection`,
        name: sql.fragment`name`,
      },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(secret`
      select ${publicColumns} from secrets
      where ${sql.and([sql.fragment`id = ${id}`, inEnvs(sql.fragment`env_id`, visible)])}
    `),

  /** The row, locked against changes until the transaction ends. Deployments can still begin to refer to it. */
  lock: (id: string) => db.maybeOne(record`select ${recordColumns} from secrets where id = ${id} for no key update`),

  /** The same, but no deployment can begin to refer to it, either. */
  lockToDelete: (id: string) => db.maybeOne(secret`select ${publicColumns} from secrets where id = ${id} for update`),

  /** The total size of sealed contents, in bytes. */
  sizeOf: (env_id: string, ids: readonly string[]) =>
    db.oneFirst(sql.type(z.object({ bytes: z.number().int() }))`
      select coalesce(sum(octet_length(sealed_contents)), 0)::bigint as bytes from secrets
      where id = any(${sql.array([...ids], 'uuid')}) and env_id = ${env_id}
    `),

  sealed: (env_id: string, ids: readonly string[]) =>
    db.any(record`
      select ${recordColumns} from secrets
      where id = any(${sql.array([...ids], 'uuid')}) and env_id = ${env_id}
      order by id
    `),

  inEnv: async (env_id: string) => {
    const rows = await db.any(sql.type(z.object({ name: z.string(), total: z.number().int() }))`
      select collection || '/' || name as name, count(*) over () as total from secrets
      where env_id = ${env_id} order by collection, name limit 10
    `);
    return { count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
  },

  keyIds: () => keyIdsIn(db, 'secrets'),

  /** Rows whose wrapped key is to be replaced, ordered by id; skips locked rows. */
  lockWrapped: (key_id: string, after: string, most: number) =>
    db.any(wrapped`
      select id, env_id, key_id, wrapped_key from secrets
      where key_id = ${key_id} and id > ${after}
      order by id limit ${most} for no key update skip locked
    `),
});
