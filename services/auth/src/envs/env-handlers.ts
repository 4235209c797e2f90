import { isDeepStrictEqual } from 'node:util';
import { siteAdmin } from '@berth/shared/access/rules';
import { visibleEnvs } from '@berth/shared/access/visible-envs';
import type { Bus } from '@berth/shared/bus/bus';
import { implement } from '@berth/shared/bus/rpc/implement';
import { type Env, type EnvChanges, envs } from '@berth/shared/contracts/resources/envs';
import type { Database } from '@berth/shared/db/database';
import { once } from '@berth/shared/db/idempotency/once';
import { recordChange } from '@berth/shared/db/changes/record-change';
import { found } from '@berth/shared/errors';
import { refuseTooManyAutomaticEnvs } from '../users/refuse-too-many-roles.ts';
import { deleteEnv } from './delete-env.ts';
import { createEnvRepository } from './env-repository.ts';
import { refuseWhileInUse, usageOfEnv } from './env-usage.ts';

export interface EnvHandlersDeps {
  db: Database;
  bus: Pick<Bus, 'call'>;
}

export const envHandlers = ({ db, bus }: EnvHandlersDeps) => {
  const envRepository = createEnvRepository(db);

  return implement(envs, {
    list: ({ query }, { identity }) => envRepository.list(query, visibleEnvs(identity)),

    get: async ({ id }, { identity }) => found(await envRepository.find(id, visibleEnvs(identity)), 'env'),

    create: ({ body }, context) =>
      db.transaction((tx) =>
        once(tx, context, async () => {
          const envRepository = createEnvRepository(tx);
          if (body.auto_add_new_users) refuseTooManyAutomaticEnvs(await envRepository.numberOfAutomatic());
          const after = await envRepository.insert(body);
          await recordChange(tx, context, envs, { after, envId: after.id });
          return after;
        }),
      ),

    update: ({ id, body }, context) =>
      db.transaction(async (tx) => {
        const envRepository = createEnvRepository(tx);
        const before = found(await envRepository.lock(id, visibleEnvs(context.identity)), 'env');
        const wanted = changed(before, body);
        context.permit({ env_id: id });
        if (isForSiteAdmins(before, wanted)) context.permit(before, siteAdmin);
        context.checkIfMatch(before);
        if (isDeepStrictEqual(wanted, before)) return before;

        const becomesAutomatic = wanted.auto_add_new_users && !before.auto_add_new_users;
        if (becomesAutomatic) refuseTooManyAutomaticEnvs(await envRepository.numberOfAutomatic());
        const after = await envRepository.update(id, wanted);
        await recordChange(tx, context, envs, { before, after, envId: id });
        return after;
      }),

    delete: async ({ id }, context) => {
      context.checkIfMatch(found(await envRepository.find(id, visibleEnvs(context.identity)), 'env'));
      refuseWhileInUse(await usageOfEnv(bus, id, context));
      await deleteEnv(db, id, context);
      return null;
    },
  });
};

const changed = (env: Env, changes: EnvChanges): Env => ({
  ...env,
  ...(changes.name !== undefined && { name: changes.name }),
  ...(changes.node_selector !== undefined && { node_selector: changes.node_selector }),
  ...(changes.tolerations !== undefined && { tolerations: changes.tolerations }),
  ...(changes.auto_add_new_users !== undefined && { auto_add_new_users: changes.auto_add_new_users }),
});

const isForSiteAdmins = (before: Env, wanted: Env): boolean =>
  before.name !== wanted.name || before.auto_add_new_users !== wanted.auto_add_new_users;
