import { implement } from '@berth/shared/bus/implement';
import { helmRegistries } from '@berth/shared/contracts/helm-registries';
import type { Database } from '@berth/shared/db/database';
import { recordState } from '@berth/shared/db/outbox';
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

    update: ({ id, body: { fa_icon } }, { checkIfMatch }) =>
      db.transaction(async (tx) => {
        const registryRepository = createRegistryRepository(tx);
        const before = found(await registryRepository.lock(id), singular);
        checkIfMatch(before);
        if (fa_icon === undefined || fa_icon === before.fa_icon) return before;

        const row = await registryRepository.changeIcon(id, fa_icon);
        await recordState(tx, helmRegistries, { id, env_id: null, operation: 'UPDATE', row });
        return row;
      }),
  });
};
