import type { HandlerContext } from '@berth/bus/rpc/handler';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { change, removed } from '@berth/db/changes/change';
import type { Database } from '@berth/db/database';
import { createDeploymentPermissionRepository } from './deployment-permission-repository.ts';
import { createEnvMemberRepository } from './env-member-repository.ts';
import { createEnvRepository } from './env-repository.ts';

type Context = HandlerContext<typeof envs.operations.delete>;

/** Deletes the env with its members and their permissions; each deletion is published, so that no role outlives the env. */
export const deleteEnv = (db: Database, id: string, context: Context): Promise<null> =>
  change(db, context, envs, {
    lock: (tx) => createEnvRepository(tx).lock(id, 'all'),
    remove: async (tx, _before, also) => {
      const envMemberRepository = createEnvMemberRepository(tx);
      // Locks members before their permissions, as the removal of one member does; the reverse order deadlocks.
      await envMemberRepository.lockOfEnv(id);
      also(deploymentPermissions, removed(await createDeploymentPermissionRepository(tx).removeOfEnv(id)));
      also(envUserPermissions, removed(await envMemberRepository.removeOfEnv(id)));
      await createEnvRepository(tx).remove(id);
    },
  });
