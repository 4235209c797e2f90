import type { Identity } from '@berth/shared/access/identity';
import { visibleEnvs } from '@berth/shared/access/visible-envs';
import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentPermissions } from '@berth/shared/contracts/resources/deployment-permissions';
import { type EnvUserPermission, envUserPermissions } from '@berth/shared/contracts/resources/env-user-permissions';
import type { Database } from '@berth/shared/db/database';
import { once } from '@berth/shared/db/idempotency/once';
import { recordChange, recordChanges } from '@berth/shared/db/changes/record-change';
import { AppError, found, named } from '@berth/shared/errors';
import { createDeploymentPermissionRepository } from '../deployment-permissions/deployment-permission-repository.ts';
import { createEnvRepository } from '../envs/env-repository.ts';
import { refuseTooManyRoles } from '../users/refuse-too-many-roles.ts';
import { createUserRepository } from '../users/user-repository.ts';
import { createEnvMemberRepository } from './env-member-repository.ts';

export const envMemberHandlers = ({ db }: { db: Database }) => {
  const envMemberRepository = createEnvMemberRepository(db);

  return implement(envUserPermissions, {
    list: ({ query }, { identity }) => envMemberRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envMemberRepository.find(id, visibleEnvs(identity)), 'env user'),

    create: ({ body }, context) =>
      db.transaction((tx) =>
        once(tx, context, async () => {
          const env = await createEnvRepository(tx).hold(body.env_id, visibleEnvs(context.identity));
          context.permit({ env_id: named(env, 'body.env_id', 'env').id });
          const userExists = await createUserRepository(tx).lockForRoles(body.user_id);
          named(userExists || null, 'body.user_id', 'user');

          const envMemberRepository = createEnvMemberRepository(tx);
          refuseTooManyRoles(await envMemberRepository.numberOf(body.user_id), 'env roles');
          const after = await envMemberRepository.insert(body);
          await recordChange(tx, context, envUserPermissions, { after, envId: after.env_id });
          return after;
        }),
      ),

    update: ({ id, body }, context) =>
      db.transaction(async (tx) => {
        const envMemberRepository = createEnvMemberRepository(tx);
        const visible = await envMemberRepository.lock(id, visibleEnvs(context.identity));
        const before = context.permit(found(visible, 'env user'));
        context.checkIfMatch(before);
        const { role = before.role } = body;
        if (role === before.role) return before;
        refuseOwnRole(context.identity, before);

        const after = await envMemberRepository.setRole(id, role);
        await recordChange(tx, context, envUserPermissions, { before, after, envId: after.env_id });
        return after;
      }),

    delete: ({ id }, context) =>
      db.transaction(async (tx) => {
        const envMemberRepository = createEnvMemberRepository(tx);
        const visible = await envMemberRepository.lock(id, visibleEnvs(context.identity));
        const before = context.permit(found(visible, 'env user'));
        context.checkIfMatch(before);
        refuseOwnRole(context.identity, before);

        // Before the member, to which they refer.
        const permissions = await createDeploymentPermissionRepository(tx).removeOfMember(before);
        await envMemberRepository.remove(id);
        const taken = permissions.map((row) => ({ before: row, envId: row.env_id }));
        await recordChanges(tx, context, deploymentPermissions, taken);
        await recordChange(tx, context, envUserPermissions, { before, envId: before.env_id });
        return null;
      }),
  });
};

/** Keeps an env admin from locking themselves out; a site admin sees the env anyway. */
function refuseOwnRole(identity: Identity, { user_id }: EnvUserPermission): void {
  const isSiteAdmin = identity.kind === 'user' && identity.is_admin;
  if (identity.id !== user_id || isSiteAdmin) return;
  throw new AppError('conflict', 'An env admin does not change their own role in the env; ask another admin');
}
