import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { envs } from '@berth/contracts/resources/envs/envs';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change } from '@berth/db/changes/change';
import type { Database } from '@berth/db/database';
import { found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { refuseTooManyAutomaticEnvs } from '../users/refuse-too-many-roles.ts';
import { deleteEnv } from './delete-env.ts';
import { createEnvRepository } from './env-repository.ts';
import { refuseWhileInUse, usageOfEnv } from './env-usage.ts';

export interface EnvHandlersDeps {
  db: Database;
  bus: Pick<Bus, 'call'>;
  changesRights: ChangesRights;
}

export const envHandlers = ({ db, bus, changesRights }: EnvHandlersDeps) => {
  const envRepository = createEnvRepository(db);

  return implement(envs, {
    list: ({ query }, { identity }) => envRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envRepository.find(id, visibleEnvs(identity)), 'env'),

    create: ({ body }, context) =>
      change(db, context, envs, {
        insert: async (tx) => {
          const envRepository = createEnvRepository(tx);
          if (body.auto_add_new_users) refuseTooManyAutomaticEnvs(await envRepository.numberOfAutomatic());
          return envRepository.insert(body);
        },
      }),

    update: ({ id, body }, context) =>
      change(db, context, envs, {
        lock: (tx) => createEnvRepository(tx).lock(id, visibleEnvs(context.identity)),
        wanted: (before) => applyGiven(before, body),
        update: async (tx, wanted, before) => {
          const envRepository = createEnvRepository(tx);
          const becomesAutomatic = wanted.auto_add_new_users && !before.auto_add_new_users;
          if (becomesAutomatic) refuseTooManyAutomaticEnvs(await envRepository.numberOfAutomatic());
          return envRepository.update(id, wanted);
        },
      }),

    delete: changesRights(async ({ id }, context) => {
      context.checkIfMatch(found(await envRepository.find(id, visibleEnvs(context.identity)), 'env'));
      refuseWhileInUse(await usageOfEnv(bus, id, context));
      return deleteEnv(db, id, context);
    }),
  });
};
