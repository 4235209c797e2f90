import { implement } from '@berth/shared/bus/implement';
import { deploymentKinds } from '@berth/shared/contracts/deployment-kinds';
import type { Database } from '@berth/shared/db/database';
import { recordState } from '@berth/shared/db/outbox';
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

    update: ({ id, body: { name } }, { checkIfMatch }) =>
      db.transaction(async (tx) => {
        const kindRepository = createKindRepository(tx);
        const before = found(await kindRepository.lock(id), singular);
        checkIfMatch(before);
        if (before.name === name) return before;

        const row = await kindRepository.rename(id, name);
        await recordState(tx, deploymentKinds, { id, env_id: null, operation: 'UPDATE', row });
        return row;
      }),
  });
};
