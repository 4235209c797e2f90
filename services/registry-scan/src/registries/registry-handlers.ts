import { implement } from '@berth/bus/rpc/implement';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change } from '@berth/db/changes/change';
import { found } from '@berth/contracts/errors';
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

    update: ({ id, body }, context) =>
      change(db, context, helmRegistries, {
        lock: (tx) => createRegistryRepository(tx).lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (tx, { fa_icon }) => createRegistryRepository(tx).changeIcon(id, fa_icon),
      }),
  });
};
