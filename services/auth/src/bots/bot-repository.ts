import { Bot, bots, type NewBot } from '@berth/contracts/resources/accounts/bots';
import type { ListRequest } from '@berth/contracts/definition/paging';
import type { Queries, Transaction } from '@berth/db/database';
import { contains } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';

export interface BotFilters extends ListRequest {
  display_name?: string | undefined;
}

const bot = sql.type(Bot);
const columns = sql.fragment`id, created_at, display_name, is_active`;

export const createBotRepository = (db: Queries) => ({
  list: (request: BotFilters) =>
    listPage(db, {
      row: Bot,
      columns,
      from: sql.fragment`bots`,
      where: [contains(sql.fragment`display_name`, request.display_name)],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        display_name: sql.fragment`display_name`,
        is_active: sql.fragment`is_active`,
      },
    }),

  find: (id: string) => db.maybeOne(bot`select ${columns} from bots where id = ${id}`),

  lock: (id: string) => db.maybeOne(bot`select ${columns} from bots where id = ${id} for update`),

  /** Keeps the bot from being deleted until the transaction ends. */
  hold: (id: string) => db.maybeOne(bot`select ${columns} from bots where id = ${id} for key share`),
});
export type BotRepository = ReturnType<typeof createBotRepository>;

/** Reads and changes in a transaction. Each change is published with it. */
export const createBotChanges = (tx: Transaction) => {
  const published = publishing(tx, bots);

  return {
    ...createBotRepository(tx),

    insert: ({ display_name }: NewBot) =>
      tx
        .one(bot`insert into bots (display_name) values (${display_name}) returning ${columns}`)
        .then(published.inserted),

    update: (id: string, { display_name, is_active }: Pick<Bot, 'display_name' | 'is_active'>) =>
      tx
        .one(bot`
          update bots set display_name = ${display_name}, is_active = ${is_active}
          where id = ${id}
          returning ${columns}
        `)
        .then(published.updated),

    remove: (id: string) => tx.one(bot`delete from bots where id = ${id} returning ${columns}`).then(published.deleted),
  };
};
export type BotChanges = ReturnType<typeof createBotChanges>;
