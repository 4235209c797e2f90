import { implement } from '@berth/bus/rpc/implement';
import { deploymentKinds } from '@berth/contracts/resources/charts/deployment-kinds';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { applyGiven } from '@berth/db/changes/apply-given';
import { updateRow } from '@berth/db/changes/update-row';
import { found } from '@berth/contracts/errors';
import { createKindRepository, type KindChanges } from './kind-repository.ts';

export interface KindHandlersDeps {
  db: Database;
  inTransaction: InTransaction<{ kinds: KindChanges }>;
}

const { singular } = deploymentKinds;

export const kindHandlers = ({ db, inTransaction }: KindHandlersDeps) => {
  const kindRepository = createKindRepository(db);

  return implement(deploymentKinds, {
    list: ({ query }) => kindRepository.list(query),

    get: async ({ id }) => found(await kindRepository.find(id), singular),

    update: ({ id, body }, context) =>
      updateRow(inTransaction, context, deploymentKinds, {
        lock: (store) => store.kinds.lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (store, { name }) => store.kinds.rename(id, name),
      }),
  });
};
