import { z } from 'zod';
import { DeploymentRole } from '../../access/identity.ts';
import { membersOfEnv } from '../../access/readers.ts';
import { envAdmin, signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const DeploymentPermission = z.strictObject({
  id: Id,
  created_at: Timestamp,
  env_id: Id,
  user_id: Id,
  kind_id: Id,
  role: DeploymentRole,
});
export type DeploymentPermission = z.infer<typeof DeploymentPermission>;

export const NewDeploymentPermission = DeploymentPermission.omit({ id: true, created_at: true });
export type NewDeploymentPermission = z.infer<typeof NewDeploymentPermission>;

export const deploymentPermissions = resource('deployment_permissions', {
  owner: 'auth',
  singular: 'deployment permission',
  state: { row: DeploymentPermission, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /deployment-permissions',
      summary: 'List roles of users for kinds of deployments',
      allow: signedIn,
      query: listQuery({ filters: { env_id: filter.id, user_id: filter.id }, sort: ['created_at', 'role'] }),
      response: pageOf(DeploymentPermission),
    }),
    create: operation({
      http: 'POST /deployment-permissions',
      summary: 'Give a user a role for one kind of deployments in an env',
      conflicts: 'the user has it already, or has the maximum number of them',
      allow: envAdmin,
      body: NewDeploymentPermission,
      response: DeploymentPermission,
    }),
    get: operation({
      http: 'GET /deployment-permissions/:id',
      summary: 'Read a deployment permission',
      allow: signedIn,
      response: DeploymentPermission,
    }),
    delete: operation({
      http: 'DELETE /deployment-permissions/:id',
      summary: 'Remove the role of a user for a kind of deployments',
      allow: envAdmin,
      response: z.null(),
    }),
  },
});
