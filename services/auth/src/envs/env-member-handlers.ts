import type { Identity } from '@berth/contracts/access/identity';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { type EnvUserPermission, envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change, removed } from '@berth/db/changes/change';
import { AppError, found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { createDeploymentPermissionRepository } from './deployment-permission-repository.ts';
import { createEnvRepository } from './env-repository.ts';
import { refuseTooManyRoles } from '../users/refuse-too-many-roles.ts';
import { createUserRepository } from '../users/user-repository.ts';
import { createEnvMemberRepository } from './env-member-repository.ts';

export interface EnvMemberHandlersDeps {
  db: Database;
  changesRights: ChangesRights;
}

export const envMemberHandlers = ({ db, changesRights }: EnvMemberHandlersDeps) => {
  const envMemberRepository = createEnvMemberRepository(db);

  return implement(envUserPermissions, {
    list: ({ query }, { identity }) => envMemberRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envMemberRepository.find(id, visibleEnvs(identity)), 'env user'),

    create: changesRights(({ body }, context) =>
      change(db, context, envUserPermissions, {
        insert: async (tx) => {
          const env = await createEnvRepository(tx).hold(body.env_id, visibleEnvs(context.identity));
          context.permit({ env_id: named(env, 'body.env_id', 'env').id });
          const userExists = await createUserRepository(tx).lockForRoles(body.user_id);
          named(userExists || null, 'body.user_id', 'user');

          const envMemberRepository = createEnvMemberRepository(tx);
          refuseTooManyRoles(await envMemberRepository.numberOf(body.user_id), 'env roles');
          return envMemberRepository.insert(body);
        },
      }),
    ),

    update: changesRights(({ id, body }, context) =>
      change(db, context, envUserPermissions, {
        lock: (tx) => createEnvMemberRepository(tx).lock(id, visibleEnvs(context.identity)),
        wanted: (before) => applyGiven(before, body),
        update: async (tx, { role }, before) => {
          refuseOwnRole(context.identity, before);
          return createEnvMemberRepository(tx).setRole(id, role);
        },
      }),
    ),

    delete: changesRights(({ id }, context) =>
      change(db, context, envUserPermissions, {
        lock: (tx) => createEnvMemberRepository(tx).lock(id, visibleEnvs(context.identity)),
        remove: async (tx, before, also) => {
          refuseOwnRole(context.identity, before);
          // Before the member: they refer to it.
          const permissions = await createDeploymentPermissionRepository(tx).removeOfMember(before);
          also(deploymentPermissions, removed(permissions));
          await createEnvMemberRepository(tx).remove(id);
        },
      }),
    ),
  });
};

/** Keeps an env admin from locking themselves out; a site admin sees the env anyway. */
function refuseOwnRole(identity: Identity, { user_id }: EnvUserPermission): void {
  const isSiteAdmin = identity.kind === 'user' && identity.is_admin;
  if (identity.id !== user_id || isSiteAdmin) return;
  throw new AppError('conflict', 'An env admin cannot change their own role in the env; ask another admin');
}
