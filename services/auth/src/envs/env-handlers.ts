import { isDeepStrictEqual } from 'node:util';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { envImpact } from '@berth/contracts/resources/envs/env-impact';
import { type Env, envs } from '@berth/contracts/resources/envs/envs';
import { applyGiven } from '@berth/db/changes/apply-given';
import { createRow } from '@berth/db/changes/create-row';
import { updateRow } from '@berth/db/changes/update-row';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { refuseTooManyAutomaticEnvs } from '../users/refuse-too-many-roles.ts';
import { deleteEnv, type EnvStore } from './delete-env.ts';
import { createEnvRepository } from './env-repository.ts';
import { noteReinstalls } from './note-reinstalls.ts';
import { refuseWhileInUse, usageOfEnv } from './env-usage.ts';

export interface EnvHandlersDeps {
  db: Database;
  inTransaction: InTransaction<EnvStore>;
  bus: Pick<Bus, 'call'>;
  changesRights: ChangesRights;
}

const placementOf = ({ node_selector, tolerations }: Env) => ({ node_selector, tolerations });

export const envHandlers = ({ db, inTransaction, bus, changesRights }: EnvHandlersDeps) => {
  const envRepository = createEnvRepository(db);

  return implement(envs, {
    list: ({ query }, { identity }) => envRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envRepository.find(id, visibleEnvs(identity)), 'env'),

    impact: async ({ id, query }, { identity, requestId, signal }) => {
      found(await envRepository.find(id, visibleEnvs(identity)), 'env');
      return bus.call(envImpact.operations.of, { body: { env_id: id, query } }, { requestId, signal });
    },

    // Neither a new env nor a changed one gives anybody a right, so gateways need not forget.
    create: ({ body }, context) =>
      createRow(inTransaction, context, envs, {
        insert: async ({ envs }) => {
          // Each of these envs becomes a role of every new user, and the roles of a user are limited.
          if (body.auto_add_new_users) refuseTooManyAutomaticEnvs(await envs.numberOfAutomatic());
          return envs.insert(body);
        },
      }),

    update: async ({ id, body }, context) => {
      let isMoved = false;
      const updated = await updateRow(inTransaction, context, envs, {
        lock: (store) => store.envs.lock(id, visibleEnvs(context.identity)),
        wanted: (before) => applyGiven(before, body),
        update: async ({ envs }, wanted, before) => {
          const becomesAutomatic = wanted.auto_add_new_users && !before.auto_add_new_users;
          if (becomesAutomatic) refuseTooManyAutomaticEnvs(await envs.numberOfAutomatic());
          isMoved = !isDeepStrictEqual(placementOf(wanted), placementOf(before));
          return envs.update(id, wanted);
        },
      });
      if (isMoved) await noteReinstalls({ db, bus }, id, context);
      return updated;
    },

    delete: changesRights(async ({ id }, context) => {
      // A stale deletion is refused before the owners are asked; the transaction locks the env and checks again.
      context.checkIfMatch(found(await envRepository.find(id, visibleEnvs(context.identity)), 'env'));
      refuseWhileInUse(await usageOfEnv(bus, id, context));
      return deleteEnv(inTransaction, id, context);
    }),
  });
};
