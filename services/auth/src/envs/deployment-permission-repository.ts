import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import {
  DeploymentPermission,
  deploymentPermissions,
  type NewDeploymentPermission,
} from '@berth/contracts/resources/envs/deployment-permissions';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equals, inEnvs, isInEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';

export interface DeploymentPermissionFilters extends ListRequest {
  env_id?: string | undefined;
  user_id?: string | undefined;
}

const permission = sql.type(DeploymentPermission);
const count = sql.type(z.object({ number: z.number() }));
const columns = sql.fragment`id, created_at, env_id, user_id, kind_id, role`;

const isVisible = (visible: VisibleEnvs) => isInEnvs(sql.fragment`env_id`, visible);

export const createDeploymentPermissionRepository = (db: Queries) => ({
  list: (request: DeploymentPermissionFilters, visible: VisibleEnvs) =>
    listPage(db, {
      row: DeploymentPermission,
      columns,
      from: sql.fragment`deployment_permissions`,
      where: [inEnvs(sql.fragment`env_id`, visible, request.env_id), equals(sql.fragment`user_id`, request.user_id)],
      request,
      sortable: { created_at: sql.fragment`created_at`, role: sql.fragment`role` },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(permission`select ${columns} from deployment_permissions where id = ${id} and ${isVisible(visible)}`),

  lock: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(
      permission`select ${columns} from deployment_permissions where id = ${id} and ${isVisible(visible)} for update`,
    ),

  numberOf: async (userId: string) =>
    (await db.one(count`select count(*)::int as number from deployment_permissions where user_id = ${userId}`)).number,
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createDeploymentPermissionChanges = (tx: Transaction) => {
  const published = publishing(tx, deploymentPermissions);

  return {
    ...createDeploymentPermissionRepository(tx),

    insert: ({ env_id, user_id, kind_id, role }: NewDeploymentPermission) =>
      tx
        .one(permission`
            insert into deployment_permissions (env_id, user_id, kind_id, role)
            values (${env_id}, ${user_id}, ${kind_id}, ${role})
            returning ${columns}
          `)
        .catch(
          conflictOn(
            'deployment_permissions_holder_key',
            'The user already has a role for deployments of this kind in this env',
          ),
        )
        .then(published.inserted),

    remove: (id: string) =>
      tx
        .one(permission`delete from deployment_permissions where id = ${id} returning ${columns}`)
        .then(published.deleted),

    removeOfMember: ({ env_id, user_id }: Pick<DeploymentPermission, 'env_id' | 'user_id'>) =>
      tx
        .any(permission`
          delete from deployment_permissions where env_id = ${env_id} and user_id = ${user_id} returning ${columns}
        `)
        .then(published.deleted),

    removeOfEnv: (envId: string) =>
      tx
        .any(permission`delete from deployment_permissions where env_id = ${envId} returning ${columns}`)
        .then(published.deleted),
  };
};
export type DeploymentPermissionChanges = ReturnType<typeof createDeploymentPermissionChanges>;
