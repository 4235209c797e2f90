import { BotToken, botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import type { ListRequest } from '@berth/contracts/definition/paging';
import type { Queries, Transaction } from '@berth/db/database';
import { equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';

export interface BotTokenFilters extends ListRequest {
  bot_id?: string | undefined;
  created_by_user_id?: string | undefined;
}

export interface NewBotTokenRow extends Pick<BotToken, 'id' | 'bot_id' | 'created_by_user_id' | 'name' | 'expires_at'> {
  secretHash: Buffer;
}

const token = sql.type(BotToken);
const columns = sql.fragment`id, bot_id, created_at, created_by_user_id, name, expires_at, last_used_at`;
const live = sql.fragment`revoked_at is null`;

/** Revoked tokens are in no list and in no read by id; only authentication still finds them. */
export const createBotTokenRepository = (db: Queries) => ({
  list: (request: BotTokenFilters) =>
    listPage(db, {
      row: BotToken,
      columns,
      from: sql.fragment`bot_tokens`,
      where: [
        live,
        equals(sql.fragment`bot_id`, request.bot_id),
        equals(sql.fragment`created_by_user_id`, request.created_by_user_id),
      ],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        name: sql.fragment`name`,
        expires_at: sql.fragment`expires_at`,
        last_used_at: sql.fragment`last_used_at`,
      },
    }),

  find: (id: string) => db.maybeOne(token`select ${columns} from bot_tokens where id = ${id} and ${live}`),

  lock: (id: string) => db.maybeOne(token`select ${columns} from bot_tokens where id = ${id} and ${live} for update`),
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createBotTokenChanges = (tx: Transaction) => {
  const published = publishing(tx, botTokens);

  return {
    ...createBotTokenRepository(tx),

    insert: ({ id, bot_id, created_by_user_id, name, expires_at, secretHash }: NewBotTokenRow) =>
      tx
        .one(token`
          insert into bot_tokens (id, bot_id, created_by_user_id, name, secret_hash, expires_at)
          values (${id}, ${bot_id}, ${created_by_user_id}, ${name}, ${sql.binary(secretHash)}, ${expires_at}::timestamptz)
          returning ${columns}
        `)
        .then(published.inserted),

    revoke: (id: string) =>
      tx
        .one(token`update bot_tokens set revoked_at = now() where id = ${id} returning ${columns}`)
        .then(published.deleted),

    revokeOfBot: (botId: string) =>
      tx
        .any(token`update bot_tokens set revoked_at = now() where bot_id = ${botId} and ${live} returning ${columns}`)
        .then(published.deleted),
  };
};
export type BotTokenChanges = ReturnType<typeof createBotTokenChanges>;
