import { implement } from '@berth/bus/rpc/implement';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change } from '@berth/db/changes/change';
import { found } from '@berth/contracts/errors';
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
