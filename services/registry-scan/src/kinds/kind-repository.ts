import { DeploymentKind, deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equalsIgnoringCase } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';

export interface KindFilters extends ListRequest {
  name?: string | undefined;
}

const kind = sql.type(DeploymentKind);
const columns = sql.fragment`id, created_at, name`;

export const createKindRepository = (db: Queries) => ({
  list: (request: KindFilters) =>
    listPage(db, {
      row: DeploymentKind,
      columns,
      from: sql.fragment`deployment_kinds`,
      where: [equalsIgnoringCase(sql.fragment`name`, request.name)],
      request,
      sortable: { created_at: sql.fragment`created_at`, name: sql.fragment`name` },
    }),

  find: (id: string) => db.maybeOne(kind`select ${columns} from deployment_kinds where id = ${id}`),

  findByName: (name: string) => db.one(kind`select ${columns} from deployment_kinds where name = ${name}`),

  lock: (id: string) => db.maybeOne(kind`select ${columns} from deployment_kinds where id = ${id} for update`),
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createKindChanges = (tx: Transaction) => {
  const published = publishing(tx, deploymentKinds);

  return {
    ...createKindRepository(tx),

    rename: (id: string, name: string) =>
      tx
        .one(kind`update deployment_kinds set name = ${name} where id = ${id} returning ${columns}`)
        .catch(conflictOn('deployment_kinds_name_key', `A deployment kind named ${name} already exists`))
        .then(published.updated),

    /** Inserts the kind and returns it; null if one of this name exists. */
    insertMissing: (name: string) =>
      tx
        .maybeOne(kind`
          insert into deployment_kinds (name) values (${name})
          on conflict on constraint deployment_kinds_name_key do nothing
          returning ${columns}
        `)
        .then(published.inserted),
  };
};
export type KindChanges = ReturnType<typeof createKindChanges>;
