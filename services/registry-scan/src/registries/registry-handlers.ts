import { implement } from '@berth/shared/bus/rpc/implement';
import { helmRegistries } from '@berth/shared/contracts/resources/helm-registries';
import type { Database } from '@berth/shared/db/database';
import { recordChange } from '@berth/shared/db/changes/record-change';
import { found } from '@berth/shared/errors';
import { createRegistryRepository } from './registry-repository.ts';

export interface RegistryHandlersDeps {
  db: Database;
}

const { singular } = helmRegistries;

export const registryHandlers = ({ db }: RegistryHandlersDeps) => {
  const registryRepository = createRegistryRepository(db);

  return implement(helmRegistries, {
    list: ({ query }) => registryRepository.list(query),

    get: async ({ id }) => found(await registryRepository.find(id), singular),

    update: ({ id, body: { fa_icon } }, context) =>
      db.transaction(async (tx) => {
        const registryRepository = createRegistryRepository(tx);
        const before = found(await registryRepository.lock(id), singular);
        context.checkIfMatch(before);
        if (fa_icon === undefined || fa_icon === before.fa_icon) return before;

        const after = await registryRepository.changeIcon(id, fa_icon);
        await recordChange(tx, context, helmRegistries, { before, after });
        return after;
      }),
  });
};
