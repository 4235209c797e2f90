import { implement } from '@berth/bus/rpc/implement';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { applyGiven } from '@berth/db/changes/apply-given';
import { updateRow } from '@berth/db/changes/update-row';
import { found } from '@berth/contracts/errors';
import { createRegistryRepository, type RegistryChanges } from './registry-repository.ts';

export interface RegistryHandlersDeps {
  db: Database;
  inTransaction: InTransaction<{ registries: RegistryChanges }>;
}

const { singular } = helmRegistries;

export const registryHandlers = ({ db, inTransaction }: RegistryHandlersDeps) => {
  const registryRepository = createRegistryRepository(db);

  return implement(helmRegistries, {
    list: ({ query }) => registryRepository.list(query),

    get: async ({ id }) => found(await registryRepository.find(id), singular),

    update: ({ id, body }, context) =>
      updateRow(inTransaction, context, helmRegistries, {
        lock: (store) => store.registries.lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (store, { fa_icon }) => store.registries.changeIcon(id, fa_icon),
      }),
  });
};
