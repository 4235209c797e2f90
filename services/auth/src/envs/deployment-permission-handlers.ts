import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import type { Database } from '@berth/db/database';
import { change } from '@berth/db/changes/change';
import { AppError, found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { createEnvMemberRepository } from './env-member-repository.ts';
import { createEnvRepository } from './env-repository.ts';
import { createDeploymentKindRepository } from '../projections/deployment-kind-repository.ts';
import { refuseTooManyRoles } from '../users/refuse-too-many-roles.ts';
import { createUserRepository } from '../users/user-repository.ts';
import { createDeploymentPermissionRepository } from './deployment-permission-repository.ts';

export interface DeploymentPermissionHandlersDeps {
  db: Database;
  changesRights: ChangesRights;
}

export const deploymentPermissionHandlers = ({ db, changesRights }: DeploymentPermissionHandlersDeps) => {
  const deploymentPermissionRepository = createDeploymentPermissionRepository(db);

  return implement(deploymentPermissions, {
    list: ({ query }, { identity }) => deploymentPermissionRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) =>
      found(await deploymentPermissionRepository.find(id, visibleEnvs(identity)), deploymentPermissions.singular),

    create: changesRights(({ body }, context) =>
      change(db, context, deploymentPermissions, {
        insert: async (tx) => {
          const env = await createEnvRepository(tx).hold(body.env_id, visibleEnvs(context.identity));
          context.permit({ env_id: named(env, 'body.env_id', 'env').id });
          const userExists = await createUserRepository(tx).lockForRoles(body.user_id);
          named(userExists || null, 'body.user_id', 'user');
          const kindExists = await createDeploymentKindRepository(tx).exists(body.kind_id);
          named(kindExists || null, 'body.kind_id', 'deployment kind');
          if (!(await createEnvMemberRepository(tx).hold(body))) throw noMember();

          const deploymentPermissionRepository = createDeploymentPermissionRepository(tx);
          refuseTooManyRoles(await deploymentPermissionRepository.numberOf(body.user_id), 'deployment permissions');
          return deploymentPermissionRepository.insert(body);
        },
      }),
    ),

    delete: changesRights(({ id }, context) =>
      change(db, context, deploymentPermissions, {
        lock: (tx) => createDeploymentPermissionRepository(tx).lock(id, visibleEnvs(context.identity)),
        remove: (tx) => createDeploymentPermissionRepository(tx).remove(id),
      }),
    ),
  });
};

function noMember(): AppError {
  const message = 'is not a member of the env: give the user a role in the env first';
  return new AppError('unprocessable', `body.user_id: ${message}`, { errors: [{ path: 'body.user_id', message }] });
}
