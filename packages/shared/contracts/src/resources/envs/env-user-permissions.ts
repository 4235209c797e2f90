import { z } from 'zod';
import { EnvRole } from '../../access/identity.ts';
import { membersOfEnv } from '../../access/readers.ts';
import { envAdmin, signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const EnvUserPermission = z.strictObject({
  id: Id,
  created_at: Timestamp,
  env_id: Id,
  user_id: Id,
  role: EnvRole,
});
export type EnvUserPermission = z.infer<typeof EnvUserPermission>;

export const NewEnvUserPermission = z.strictObject({ env_id: Id, user_id: Id, role: EnvRole });
export type NewEnvUserPermission = z.infer<typeof NewEnvUserPermission>;

export const EnvUserPermissionChanges = z.strictObject({ role: EnvRole.optional() });
export type EnvUserPermissionChanges = z.infer<typeof EnvUserPermissionChanges>;

export const envUserPermissions = resource('env_user_permissions', {
  owner: 'auth',
  singular: 'env user',
  etag: ['role'],
  state: { row: EnvUserPermission, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /env-user-permissions',
      summary: 'List the users of envs with their roles',
      allow: signedIn,
      query: listQuery({ filters: { env_id: filter.id, user_id: filter.id }, sort: ['created_at', 'role'] }),
      response: pageOf(EnvUserPermission),
    }),
    create: operation({
      http: 'POST /env-user-permissions',
      summary: 'Give a user a role in an env',
      conflicts: 'the user has a role in the env already, or has the maximum number of roles',
      allow: envAdmin,
      body: NewEnvUserPermission,
      response: EnvUserPermission,
    }),
    get: operation({
      http: 'GET /env-user-permissions/:id',
      summary: 'Read the role of a user in an env',
      allow: signedIn,
      response: EnvUserPermission,
    }),
    update: operation({
      http: 'PUT /env-user-permissions/:id',
      summary: 'Change the role of a user in an env',
      conflicts: 'it is the role of the caller, who is not a site admin',
      allow: envAdmin,
      body: EnvUserPermissionChanges,
      response: EnvUserPermission,
    }),
    delete: operation({
      http: 'DELETE /env-user-permissions/:id',
      summary: 'Remove a user from an env',
      conflicts: 'it is the role of the caller, who is not a site admin',
      allow: envAdmin,
      changesAlso: ['deployment_permissions'],
      response: z.null(),
    }),
  },
});
