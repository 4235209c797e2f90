import { implement } from '@berth/shared/bus/rpc/implement';
import { deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import type { Database } from '@berth/shared/db/database';
import { recordChange } from '@berth/shared/db/changes/record-change';
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

    update: ({ id, body: { name } }, context) =>
      db.transaction(async (tx) => {
        const kindRepository = createKindRepository(tx);
        const before = found(await kindRepository.lock(id), singular);
        context.checkIfMatch(before);
        if (before.name === name) return before;

        const after = await kindRepository.rename(id, name);
        await recordChange(tx, context, deploymentKinds, { before, after });
        return after;
      }),
  });
};
