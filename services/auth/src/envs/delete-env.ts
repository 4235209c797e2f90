import type { HandlerContext } from '@berth/shared/bus/bus';
import { deploymentPermissions } from '@berth/shared/contracts/resources/deployment-permissions';
import { envUserPermissions } from '@berth/shared/contracts/resources/env-user-permissions';
import { envs } from '@berth/shared/contracts/resources/envs';
import type { Database } from '@berth/shared/db/database';
import { recordChange, recordChanges } from '@berth/shared/db/changes/record-change';
import { found } from '@berth/shared/errors';
import { createDeploymentPermissionRepository } from '../deployment-permissions/deployment-permission-repository.ts';
import { createEnvMemberRepository } from '../env-members/env-member-repository.ts';
import { createEnvRepository } from './env-repository.ts';

type By = Pick<HandlerContext, 'identity' | 'requestId' | 'checkIfMatch'>;

/** Deletes the env with its members and their permissions; each deletion is published, so that no role outlives the env. */
export const deleteEnv = (db: Database, id: string, by: By): Promise<void> =>
  db.transaction(async (tx) => {
    const envRepository = createEnvRepository(tx);
    const before = found(await envRepository.lock(id, 'all'), 'env');
    by.checkIfMatch(before);

    const envMemberRepository = createEnvMemberRepository(tx);
    // Members before their permissions, as where a single member is removed; the reverse order deadlocks.
    await envMemberRepository.lockOfEnv(id);
    const permissions = await createDeploymentPermissionRepository(tx).removeOfEnv(id);
    const members = await envMemberRepository.removeOfEnv(id);
    await envRepository.remove(id);

    const gone = <Row extends { id: string }>(row: Row) => ({ before: row, envId: id });
    await recordChanges(tx, by, deploymentPermissions, permissions.map(gone));
    await recordChanges(tx, by, envUserPermissions, members.map(gone));
    await recordChange(tx, by, envs, gone(before));
  });
