import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { Env, envs } from '@berth/contracts/resources/envs/envs';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equals, equalsIgnoringCase, inEnvs, isInEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';

type EnvFields = Pick<Env, 'name' | 'node_selector' | 'tolerations' | 'auto_add_new_users'>;

export interface EnvFilters extends ListRequest {
  name?: string | undefined;
  auto_add_new_users?: boolean | undefined;
}

const env = sql.type(Env);
const count = sql.type(z.object({ number: z.number() }));
const columns = sql.fragment`id, created_at, name, node_selector, tolerations, auto_add_new_users`;

/** An env that the caller may not see is not found: a 403 would confirm that it exists. */
const isVisible = (visible: VisibleEnvs) => isInEnvs(sql.fragment`id`, visible);

const nameIsTaken = (name: string) => conflictOn('envs_name_key', `An env named ${name} already exists`);

export const createEnvRepository = (db: Queries) => ({
  list: (request: EnvFilters, visible: VisibleEnvs) =>
    listPage(db, {
      row: Env,
      columns,
      from: sql.fragment`envs`,
      where: [
        inEnvs(sql.fragment`id`, visible),
        equalsIgnoringCase(sql.fragment`name`, request.name),
        equals(sql.fragment`auto_add_new_users`, request.auto_add_new_users),
      ],
      request,
      bytes: sql.fragment`octet_length(to_json(envs)::text)`,
      sortable: { created_at: sql.fragment`created_at`, name: sql.fragment`name` },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(env`select ${columns} from envs where id = ${id} and ${isVisible(visible)}`),

  lock: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(env`select ${columns} from envs where id = ${id} and ${isVisible(visible)} for update`),

  /** Keeps the env from being deleted until the transaction ends. Several transactions can hold it at once. */
  hold: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(env`select ${columns} from envs where id = ${id} and ${isVisible(visible)} for key share`),

  numberOfAutomatic: async () =>
    (await db.one(count`select count(*)::int as number from envs where auto_add_new_users`)).number,
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createEnvChanges = (tx: Transaction) => {
  const published = publishing(tx, envs);

  return {
    ...createEnvRepository(tx),

    insert: ({ name, auto_add_new_users }: Pick<EnvFields, 'name' | 'auto_add_new_users'>) =>
      tx
        .one(env`
            insert into envs (name, auto_add_new_users)
            values (${name}, ${auto_add_new_users})
            returning ${columns}
          `)
        .catch(nameIsTaken(name))
        .then(published.inserted),

    update: (id: string, { name, node_selector, tolerations, auto_add_new_users }: EnvFields) =>
      tx
        .one(env`
            update envs set
              name = ${name},
              node_selector = ${jsonOrNull(node_selector)},
              tolerations = ${jsonOrNull(tolerations)},
              auto_add_new_users = ${auto_add_new_users}
            where id = ${id}
            returning ${columns}
          `)
        .catch(nameIsTaken(name))
        .then(published.updated),

    remove: (id: string) => tx.one(env`delete from envs where id = ${id} returning ${columns}`).then(published.deleted),
  };
};
export type EnvChanges = ReturnType<typeof createEnvChanges>;
