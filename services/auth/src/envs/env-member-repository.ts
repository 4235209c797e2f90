import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { EnvRole } from '@berth/contracts/access/identity';
import { maxRolesOfUser } from '@berth/contracts/access/packed-identity';
import {
  EnvUserPermission,
  envUserPermissions,
  type NewEnvUserPermission,
} from '@berth/contracts/resources/envs/env-user-permissions';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equals, inEnvs, isInEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';

export interface EnvMemberFilters extends ListRequest {
  env_id?: string | undefined;
  user_id?: string | undefined;
}

const member = sql.type(EnvUserPermission);
const count = sql.type(z.object({ number: z.number() }));
const columns = sql.fragment`id, created_at, env_id, user_id, role`;

const isVisible = (visible: VisibleEnvs) => isInEnvs(sql.fragment`env_id`, visible);

export const createEnvMemberRepository = (db: Queries) => ({
  list: (request: EnvMemberFilters, visible: VisibleEnvs) =>
    listPage(db, {
      row: EnvUserPermission,
      columns,
      from: sql.fragment`env_user_permissions`,
      where: [inEnvs(sql.fragment`env_id`, visible, request.env_id), equals(sql.fragment`user_id`, request.user_id)],
      request,
      sortable: { created_at: sql.fragment`created_at`, role: sql.fragment`role` },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(member`select ${columns} from env_user_permissions where id = ${id} and ${isVisible(visible)}`),

  lock: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(
      member`select ${columns} from env_user_permissions where id = ${id} and ${isVisible(visible)} for update`,
    ),

  /** Keeps the user a member until the transaction ends. */
  hold: ({ env_id, user_id }: Pick<EnvUserPermission, 'env_id' | 'user_id'>) =>
    db.maybeOne(
      member`select ${columns} from env_user_permissions where env_id = ${env_id} and user_id = ${user_id} for key share`,
    ),

  numberOf: async (userId: string) =>
    (await db.one(count`select count(*)::int as number from env_user_permissions where user_id = ${userId}`)).number,

  /** Locks in the order of ids, so that two transactions cannot deadlock. */
  lockOfEnv: async (envId: string) => {
    await db.query(member`select ${columns} from env_user_permissions where env_id = ${envId} order by id for update`);
  },
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createEnvMemberChanges = (tx: Transaction) => {
  const published = publishing(tx, envUserPermissions);

  return {
    ...createEnvMemberRepository(tx),

    insert: ({ env_id, user_id, role }: NewEnvUserPermission) =>
      tx
        .one(member`
            insert into env_user_permissions (env_id, user_id, role)
            values (${env_id}, ${user_id}, ${role})
            returning ${columns}
          `)
        .catch(conflictOn('env_user_permissions_member_key', 'The user already has a role in this env'))
        .then(published.inserted),

    /** Adds the user to every env that adds new users automatically. Waits for a deletion under way, then omits that env. */
    addToAutomaticEnvs: (userId: string) =>
      tx
        .any(member`
          with automatic as (
            select id from envs where auto_add_new_users order by created_at, id limit ${maxRolesOfUser} for key share
          )
          insert into env_user_permissions (env_id, user_id, role)
          select id, ${userId}, 'User' from automatic
          returning ${columns}
        `)
        .then(published.inserted),

    setRole: (id: string, role: EnvRole) =>
      tx
        .one(member`update env_user_permissions set role = ${role} where id = ${id} returning ${columns}`)
        .then(published.updated),

    remove: (id: string) =>
      tx.one(member`delete from env_user_permissions where id = ${id} returning ${columns}`).then(published.deleted),

    removeOfEnv: (envId: string) =>
      tx
        .any(member`delete from env_user_permissions where env_id = ${envId} returning ${columns}`)
        .then(published.deleted),
  };
};
export type EnvMemberChanges = ReturnType<typeof createEnvMemberChanges>;
