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
import type { CreatedRegistryRepository, SealedSecrets } from './created-registry-repository.ts';
import { refusePushTokenOf } from './created-settings.ts';
import { createRegistryRepository, type RegistryChanges } from './registry-repository.ts';
import type { RegistryRules } from './registry-rules.ts';
import { givesSecrets, replaceSecrets, sealGiven, secretsInAudit } from './replaced-secrets.ts';

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

/** With what replaces the stored secrets, where something does. */
type ChangedRegistry = HelmRegistry & { sealed?: Partial<SealedSecrets> };

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

    update: ({ id, body: { credentials, push_token, ...fields } }, context) => {
      const given = { credentials, push_token };
      return updateRow<Store, ChangedRegistry, HelmRegistry>(inTransaction, context, helmRegistries, {
        publicRow: ({ sealed: _sealed, ...row }) => row,
        lock: (store) => store.registries.lock(id),
        refuse: (row) => {
          if (credentials !== undefined) refuseConfigured(row, 'its credentials are in its credentials_file');
          if (push_token !== undefined) refuseConfigured(row, 'its push events come with PUSH_TOKEN');
          if (push_token) refusePushTokenOf(row.provider);
        },
        wanted: (before) => ({
          ...applyGiven(before, fields),
          ...(givesSecrets(given) && { sealed: sealGiven(rules.keys, id, given) }),
        }),
        update: async (store, { fa_icon, sealed }) => {
          if (sealed) await replaceSecrets(store, id, sealed);
          return store.registries.changeIcon(id, fa_icon);
        },
        ...(givesSecrets(given) && {
          audited: ({ fa_icon }: HelmRegistry, before: HelmRegistry) => ({
            action: 'update',
            objectId: id,
            envId: null,
            details: { ...secretsInAudit(given), fa_icon: [before.fa_icon, fa_icon] },
          }),
        }),
      });
    },

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
