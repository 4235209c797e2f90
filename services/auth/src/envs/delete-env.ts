import type { HandlerContext } from '@berth/bus/rpc/handler';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { removeRow } from '@berth/db/changes/remove-row';
import type { InTransaction } from '@berth/db/in-transaction';
import type { DeploymentPermissionChanges } from './deployment-permission-repository.ts';
import type { EnvMemberChanges } from './env-member-repository.ts';
import type { EnvChanges } from './env-repository.ts';

type Context = HandlerContext<typeof envs.operations.delete>;

export interface EnvStore {
  envs: EnvChanges;
  envMembers: EnvMemberChanges;
  deploymentPermissions: DeploymentPermissionChanges;
}

/** Deletes the env with its members and their permissions; each deletion is published, so that no role outlives the env. */
export const deleteEnv = (inTransaction: InTransaction<EnvStore>, id: string, context: Context): Promise<null> =>
  removeRow(inTransaction, context, envs, {
    lock: (store) => store.envs.lock(id, 'all'),
    remove: async ({ envs: rows, envMembers, deploymentPermissions: permissions }, _before, also) => {
      // Locks members before their permissions, as the removal of one member does; the reverse order deadlocks.
      await envMembers.lockOfEnv(id);
      also.removed(deploymentPermissions, await permissions.removeOfEnv(id));
      also.removed(envUserPermissions, await envMembers.removeOfEnv(id));
      await rows.remove(id);
    },
  });
