import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import type { ListRequest } from '@berth/contracts/definition/paging';
import {
  ClusterRoleGrant,
  clusterRoleGrants,
  type NewClusterRoleGrant,
} from '@berth/contracts/resources/clusters/cluster-role-grants';
import type { Queries, Transaction } from '@berth/db/database';
import { equals, inEnvs, isInEnvs } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

export interface GrantFilters extends ListRequest {
  env_id?: string | undefined;
  kind_id?: string | undefined;
}

/** A grant applies to the deployments of its kind in its env. */
export type DeploymentScope = Pick<ClusterRoleGrant, 'env_id' | 'kind_id'>;

const grant = sql.type(ClusterRoleGrant);
const columns = sql.fragment`id, created_at, env_id, kind_id, cluster_role, scope`;

const lockOfEnv = (id: string) => sql.fragment`hashtextextended(${`env ${id}`}, 0)`;

export const createGrantRepository = (db: Queries) => ({
  list: (request: GrantFilters, visible: VisibleEnvs, appliesTo?: DeploymentScope | null) =>
    listPage(db, {
      row: ClusterRoleGrant,
      columns,
      from: sql.fragment`cluster_role_grants`,
      where: [
        inEnvs(sql.fragment`env_id`, visible, request.env_id),
        equals(sql.fragment`kind_id`, request.kind_id),
        appliesTo === null ? sql.fragment`false` : equals(sql.fragment`env_id`, appliesTo?.env_id),
        equals(sql.fragment`kind_id`, appliesTo?.kind_id),
      ],
      request,
      sortable: { created_at: sql.fragment`created_at`, cluster_role: sql.fragment`cluster_role` },
    }),

  find: (id: string, visible: VisibleEnvs) =>
    db.maybeOne(grant`
      select ${columns} from cluster_role_grants where id = ${id} and ${isInEnvs(sql.fragment`env_id`, visible)}
    `),
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createGrantChanges = (tx: Transaction) => {
  const published = publishing(tx, clusterRoleGrants);

  return {
    ...createGrantRepository(tx),

    /** Returns false for a deleted env. A later deletion is applied only after the transaction. */
    holdEnv: async (id: string): Promise<boolean> => {
      await tx.query(statement`select pg_advisory_xact_lock_shared(${lockOfEnv(id)})`);
      return !(await tx.exists(statement`select from env_projection where id = ${id} and deleted`));
    },

    lock: (id: string) => tx.maybeOne(grant`select ${columns} from cluster_role_grants where id = ${id} for update`),

    numberOf: ({ env_id, kind_id }: DeploymentScope) =>
      tx.oneFirst(sql.type(z.object({ number: z.number() }))`
        select count(*)::int4 as number from cluster_role_grants where env_id = ${env_id} and kind_id = ${kind_id}
      `),

    insert: ({ env_id, kind_id, cluster_role, scope }: NewClusterRoleGrant) =>
      tx
        .one(grant`
          insert into cluster_role_grants (env_id, kind_id, cluster_role, scope)
          values (${env_id}, ${kind_id}, ${cluster_role}, ${scope})
          returning ${columns}
        `)
        .catch(conflictOn('cluster_role_grants_key', 'The kind has this ClusterRole in this env and scope already'))
        .then(published.inserted),

    remove: (id: string) =>
      tx.one(grant`delete from cluster_role_grants where id = ${id} returning ${columns}`).then(published.deleted),

    removeOfEnv: async (envId: string): Promise<void> => {
      await tx.query(statement`select pg_advisory_xact_lock(${lockOfEnv(envId)})`);
      await tx
        .any(grant`delete from cluster_role_grants where env_id = ${envId} returning ${columns}`)
        .then(published.deleted);
    },
  };
};
export type GrantChanges = ReturnType<typeof createGrantChanges>;
export type GrantRepository = ReturnType<typeof createGrantRepository>;
