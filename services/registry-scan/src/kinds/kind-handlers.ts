import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import type { Database } from '@berth/shared/db/database';
import { applyGiven } from '@berth/shared/db/changes/apply-given';
import { change } from '@berth/shared/db/changes/change';
import { found } from '@berth/shared/errors';
import { createKindRepository } from './kind-repository.ts';

export interface KindHandlersDeps {
  db: Database;
}

const { singular } = deploymentKinds;

export const kindHandlers = ({ db }: KindHandlersDeps) => {
  const kindRepository = createKindRepository(db);

  return implement(deploymentKinds, {
    list: ({ query }) => kindRepository.list(query),

    get: async ({ id }) => found(await kindRepository.find(id), singular),

    update: ({ id, body }, context) =>
      change(db, context, deploymentKinds, {
        lock: (tx) => createKindRepository(tx).lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (tx, { name }) => createKindRepository(tx).rename(id, name),
      }),
  });
};
