import { implement } from '@berth/bus/rpc/implement';
import { AppError, found } from '@berth/contracts/errors';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries, type HelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { applyGiven } from '@berth/db/changes/apply-given';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import { updateRow } from '@berth/db/changes/update-row';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import type { ChartChanges } from '../charts/chart-repository.ts';
import type { KindChanges } from '../kinds/kind-repository.ts';
import { createRegistry } from './create-registry.ts';
import type { CreatedRegistryRepository } from './created-registry-repository.ts';
import { createRegistryRepository, type RegistryChanges } from './registry-repository.ts';
import type { RegistryRules } from './registry-rules.ts';
import { sealCredentials } from './sealed-credentials.ts';

interface Store {
  registries: RegistryChanges;
  createdRegistries: CreatedRegistryRepository;
  charts: ChartChanges;
  kinds: KindChanges;
}

export interface RegistryHandlersDeps extends RegistryRules {
  db: Database;
  inTransaction: InTransaction<Store>;
}

/** With credentials that replace the stored ones. */
type ChangedRegistry = HelmRegistry & { sealed?: Buffer | null };

const { singular } = helmRegistries;

const refuseConfigured = ({ source, domain_name }: HelmRegistry, what: string): void => {
  if (source !== 'created') throw new AppError('conflict', `${domain_name} is configured: ${what}`);
};

export const registryHandlers = ({ db, inTransaction, ...rules }: RegistryHandlersDeps) => {
  const registryRepository = createRegistryRepository(db);

  return implement(helmRegistries, {
    list: ({ query }) => registryRepository.list(query),

    get: async ({ id }) => found(await registryRepository.find(id), singular),

    create: ({ body }, context) =>
      createRow(inTransaction, context, helmRegistries, { insert: (store) => createRegistry(store, rules, body) }),

    update: ({ id, body: { credentials, ...fields } }, context) =>
      updateRow<Store, ChangedRegistry, HelmRegistry>(inTransaction, context, helmRegistries, {
        publicRow: ({ sealed: _sealed, ...row }) => row,
        lock: (store) => store.registries.lock(id),
        refuse: (row) => {
          if (credentials !== undefined) refuseConfigured(row, 'its credentials are in its credentials_file');
        },
        wanted: (before) => ({
          ...applyGiven(before, fields),
          ...(credentials !== undefined && { sealed: credentials && sealCredentials(rules.keys, id, credentials) }),
        }),
        update: async (store, { fa_icon, sealed }) => {
          if (sealed !== undefined) {
            await store.createdRegistries.replaceCredentials(id, sealed);
            await store.registries.noteCredentials(id, sealed ? 'given' : 'removed');
          }
          return store.registries.changeIcon(id, fa_icon);
        },
        ...(credentials !== undefined && {
          audited: ({ fa_icon }: HelmRegistry, before: HelmRegistry) => ({
            action: 'update',
            objectId: id,
            envId: null,
            details: { credentials: credentials ? 'replaced' : 'removed', fa_icon: [before.fa_icon, fa_icon] },
          }),
        }),
      }),

    delete: ({ id }, context) =>
      removeRow(inTransaction, context, helmRegistries, {
        lock: (store) => store.registries.lock(id),
        refuse: async (row, { charts }) => {
          refuseConfigured(row, 'take it out of REGISTRIES');
          if (await charts.isRegistryInUse(id)) {
            throw new AppError('conflict', 'A deployment refers to one of its charts: change or delete that first');
          }
        },
        remove: async (store, _, also) => {
          also.removed(helmCharts, await store.charts.removeAll(id));
          await store.registries.remove(id);
        },
      }),
  });
};
