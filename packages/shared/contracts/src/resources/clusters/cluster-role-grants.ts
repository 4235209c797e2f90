import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { Id, Timestamp } from '../../fields/fields.ts';

/** `Namespace`: bound in the namespace of each deployment. `Cluster`: bound for the whole cluster. */
export const GrantScope = z.enum(['Namespace', 'Cluster']);
export type GrantScope = z.infer<typeof GrantScope>;

/** A segment of a path, so never `.` or `..`. Names of ClusterRoles may contain colons. */
const ClusterRoleName = z
  .string()
  .trim()
  .max(253)
  .regex(
    /^[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?$/,
    'must be the name of a ClusterRole: a-z, 0-9, -, . and :, beginning and ending with a letter or digit',
  );

export const ClusterRoleGrant = z.strictObject({
  id: Id,
  created_at: Timestamp,
  env_id: Id,
  kind_id: Id,
  cluster_role: z.string(),
  scope: GrantScope,
});
export type ClusterRoleGrant = z.infer<typeof ClusterRoleGrant>;

export const NewClusterRoleGrant = ClusterRoleGrant.omit({ id: true, created_at: true }).extend({
  cluster_role: ClusterRoleName,
});
export type NewClusterRoleGrant = z.infer<typeof NewClusterRoleGrant>;

export const clusterRoleGrants = resource('cluster_role_grants', {
  owner: 'cluster-sync',
  singular: 'cluster role grant',
  state: { row: ClusterRoleGrant, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /cluster-role-grants',
      summary: 'List grants of ClusterRoles to kinds of deployments',
      allow: signedIn,
      query: listQuery({
        filters: {
          env_id: filter.id,
          kind_id: filter.id,
          deployment_id: filter.id.meta({ description: 'those that apply to the deployment' }),
        },
        sort: ['created_at', 'cluster_role'],
      }),
      response: pageOf(ClusterRoleGrant),
    }),
    create: operation({
      http: 'POST /cluster-role-grants',
      summary: 'Let the deployments of a kind in an env act with a ClusterRole that the operator installed',
      conflicts: 'the grant exists, or the kind has the maximum number of them in the env',
      allow: siteAdmin,
      body: NewClusterRoleGrant,
      response: ClusterRoleGrant,
    }),
    get: operation({
      http: 'GET /cluster-role-grants/:id',
      summary: 'Read a grant of a ClusterRole',
      allow: signedIn,
      response: ClusterRoleGrant,
    }),
    delete: operation({
      http: 'DELETE /cluster-role-grants/:id',
      summary: 'Revoke a grant; its bindings are removed from the clusters',
      allow: siteAdmin,
      response: z.null(),
    }),
  },
});
