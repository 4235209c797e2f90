import type { ListRequest } from '@berth/contracts/definition/paging';
import { UserToken, userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import type { Queries, Transaction } from '@berth/db/database';
import { equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';

export interface UserTokenFilters extends ListRequest {
  user_id?: string | undefined;
}

/** Whose tokens the caller may see. */
export type Holders = 'all' | 'none' | { userId: string };

export interface NewUserTokenRow extends Pick<UserToken, 'id' | 'user_id' | 'name' | 'expires_at'> {
  secretHash: Buffer;
}

const token = sql.type(UserToken);
const holder = sql.type(UserToken.pick({ user_id: true }));
const columns = sql.fragment`id, user_id, created_at, name, expires_at, last_used_at`;

const heldBy = (holders: Holders) => {
  if (holders === 'all') return sql.fragment`revoked_at is null`;
  return holders === 'none' ? sql.fragment`false` : sql.fragment`revoked_at is null and user_id = ${holders.userId}`;
};

/** Revoked tokens are in no list and in no read by id; only authentication still finds them. */
export const createUserTokenRepository = (db: Queries) => ({
  list: (request: UserTokenFilters, holders: Holders) =>
    listPage(db, {
      row: UserToken,
      columns,
      from: sql.fragment`user_tokens`,
      where: [heldBy(holders), equals(sql.fragment`user_id`, request.user_id)],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        name: sql.fragment`name`,
        expires_at: sql.fragment`expires_at`,
        last_used_at: sql.fragment`last_used_at`,
      },
    }),

  find: (id: string, holders: Holders) =>
    db.maybeOne(token`select ${columns} from user_tokens where id = ${id} and ${heldBy(holders)}`),

  lock: (id: string, holders: Holders) =>
    db.maybeOne(token`select ${columns} from user_tokens where id = ${id} and ${heldBy(holders)} for update`),
});

const Held = z.strictObject({ now: z.number(), today: z.number() });

/** Reads and changes in a transaction. Each change is published with it. */
export const createUserTokenChanges = (tx: Transaction) => {
  const published = publishing(tx, userTokens);

  return {
    ...createUserTokenRepository(tx),

    /** Serialises the creation of a user's tokens, so that they can be counted. Null if the user does not exist. */
    lockHolder: (userId: string) =>
      tx.maybeOne(holder`select id as user_id from users where id = ${userId} for no key update`),

    held: (userId: string) =>
      tx.one(sql.type(Held)`
        select count(*) filter (where revoked_at is null)::int as now, count(*)::int as today
        from user_tokens
        where user_id = ${userId} and (revoked_at is null or revoked_at > now() - interval '1 day')
      `),

    insert: ({ id, user_id, name, expires_at, secretHash }: NewUserTokenRow) =>
      tx
        .one(token`
          insert into user_tokens (id, user_id, name, secret_hash, expires_at)
          values (${id}, ${user_id}, ${name}, ${sql.binary(secretHash)}, ${expires_at}::timestamptz)
          returning ${columns}
        `)
        .then(published.inserted),

    revoke: (id: string) =>
      tx
        .one(token`update user_tokens set revoked_at = now() where id = ${id} returning ${columns}`)
        .then(published.deleted),
  };
};
export type UserTokenChanges = ReturnType<typeof createUserTokenChanges>;
