import type { Identity } from '@berth/contracts/access/identity';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { type EnvUserPermission, envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import { updateRow } from '@berth/db/changes/update-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { AppError, found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import type { EnvStore } from './delete-env.ts';
import { refuseTooManyRoles } from '../users/refuse-too-many-roles.ts';
import type { UserRepository } from '../users/user-repository.ts';
import { createEnvMemberRepository } from './env-member-repository.ts';

export interface EnvMemberHandlersDeps {
  db: Database;
  inTransaction: InTransaction<EnvStore & { users: UserRepository }>;
  changesRights: ChangesRights;
}

export const envMemberHandlers = ({ db, inTransaction, changesRights }: EnvMemberHandlersDeps) => {
  const envMemberRepository = createEnvMemberRepository(db);

  return implement(envUserPermissions, {
    list: ({ query }, { identity }) => envMemberRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envMemberRepository.find(id, visibleEnvs(identity)), 'env user'),

    create: changesRights(({ body }, context) =>
      createRow(inTransaction, context, envUserPermissions, {
        insert: async ({ envs, users, envMembers }) => {
          const env = await envs.hold(body.env_id, visibleEnvs(context.identity));
          context.permit({ env_id: named(env, 'body.env_id', 'env').id });
          const userExists = await users.lockForRoles(body.user_id);
          named(userExists || null, 'body.user_id', 'user');

          refuseTooManyRoles(await envMembers.numberOf(body.user_id), 'env roles');
          return envMembers.insert(body);
        },
      }),
    ),

    update: changesRights(({ id, body }, context) =>
      updateRow(inTransaction, context, envUserPermissions, {
        lock: (store) => store.envMembers.lock(id, visibleEnvs(context.identity)),
        wanted: (before) => applyGiven(before, body),
        update: async (store, { role }, before) => {
          refuseOwnRole(context.identity, before);
          return store.envMembers.setRole(id, role);
        },
      }),
    ),

    delete: changesRights(({ id }, context) =>
      removeRow(inTransaction, context, envUserPermissions, {
        lock: (store) => store.envMembers.lock(id, visibleEnvs(context.identity)),
        remove: async (store, before, also) => {
          refuseOwnRole(context.identity, before);
          // Deleted before the member, which they refer to.
          also.removed(deploymentPermissions, await store.deploymentPermissions.removeOfMember(before));
          await store.envMembers.remove(id);
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
