import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import type { Database } from '@berth/db/database';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { AppError, found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import type { EnvStore } from './delete-env.ts';
import type { DeploymentKindRepository } from '../projections/deployment-kind-repository.ts';
import { refuseTooManyRoles } from '../users/refuse-too-many-roles.ts';
import type { UserRepository } from '../users/user-repository.ts';
import { createDeploymentPermissionRepository } from './deployment-permission-repository.ts';

export interface DeploymentPermissionHandlersDeps {
  db: Database;
  inTransaction: InTransaction<EnvStore & { users: UserRepository; deploymentKinds: DeploymentKindRepository }>;
  changesRights: ChangesRights;
}

export const deploymentPermissionHandlers = ({
  db,
  inTransaction,
  changesRights,
}: DeploymentPermissionHandlersDeps) => {
  const deploymentPermissionRepository = createDeploymentPermissionRepository(db);

  return implement(deploymentPermissions, {
    list: ({ query }, { identity }) => deploymentPermissionRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await deploymentPermissionRepository.find(id, visibleEnvs(identity)), deploymentPermissions.singular),

    create: changesRights(({ body }, context) =>
      createRow(inTransaction, context, deploymentPermissions, {
        insert: async (store) => {
          const env = await store.envs.hold(body.env_id, visibleEnvs(context.identity));
          context.permit({ env_id: named(env, 'body.env_id', 'env').id });
          const userExists = await store.users.lockForRoles(body.user_id);
          named(userExists || null, 'body.user_id', 'user');
          const kindExists = await store.deploymentKinds.exists(body.kind_id);
          named(kindExists || null, 'body.kind_id', 'deployment kind');
          if (!(await store.envMembers.hold(body))) throw noMember();

          refuseTooManyRoles(await store.deploymentPermissions.numberOf(body.user_id), 'deployment permissions');
          return store.deploymentPermissions.insert(body);
        },
      }),
    ),

    delete: changesRights(({ id }, context) =>
      removeRow(inTransaction, context, deploymentPermissions, {
        lock: (store) => store.deploymentPermissions.lock(id, visibleEnvs(context.identity)),
        remove: (store) => store.deploymentPermissions.remove(id),
      }),
    ),
  });
};

function noMember(): AppError {
  const message = 'is not a member of the env: give the user a role in the env first';
  return new AppError('unprocessable', `body.user_id: ${message}`, { errors: [{ path: 'body.user_id', message }] });
}
